/// A part of a YAML text as the scanner finds it, in the terms of YAML 1.2.
struct YAMLToken {
    enum Kind {
        case end, documentStart, documentEnd
        case blockSequence, blockMapping, blockEnd
        case flowSequence, flowSequenceEnd, flowMapping, flowMappingEnd
        /// `-`, `,`, `?` or what begins as a name does, and `:`.
        case entry, comma, key, value
        case scalar(YAMLText)
    }

    let kind: Kind
    let range: Range<Int>
    /// In which it begins, from 1.
    let line: Int
}
