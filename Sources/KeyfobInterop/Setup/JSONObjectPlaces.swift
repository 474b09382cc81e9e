internal import KeyfobModel
internal import KeyfobSodium

/// An object of a JSON text, and where its parts are: entries are put into it and taken out of it, and nothing is written anew.
struct JSONObjectPlaces {
    /// A name and a value.
    struct Member {
        let name: String
        /// The value, where it is text.
        let text: String?
        /// Where the value is on the tape.
        let value: JSONTape.Value
        /// From the name to the value's end.
        let range: Range<Int>
        /// From behind the bracket or comma before it to behind the comma after it, or to the bracket.
        let span: Range<Int>
    }

    let range: Range<Int>
    let members: [Member]
    /// The white space before the first member.
    let blank: String

    init(_ tape: JSONTape, _ value: JSONTape.Value, _ bytes: RawSpan) {
        range = tape.range(of: value)
        var members: [Member] = []
        var start = range.lowerBound + 1
        for member in tape.members(of: value) {
            let range = tape.range(of: member.name).lowerBound..<tape.range(of: member.value).upperBound
            // Nothing but white space is between a value and its comma, or the bracket.
            let next = Self.end(ofBlank: range.upperBound, bytes)
            let end = bytes.byte(at: next) == UInt8(ascii: ",") ? next + 1 : next
            members.append(
                Member(
                    name: tape.string(of: member.name, in: bytes) ?? "",
                    text: tape.string(of: member.value, in: bytes), value: member.value, range: range,
                    span: start..<end))
            start = end
        }
        self.members = members
        let first = range.lowerBound + 1
        let blank = bytes.extracting(first..<Self.end(ofBlank: first, bytes))
        self.blank = String(decoding: [UInt8](blank), as: UTF8.self)
    }

    private static func end(ofBlank start: Int, _ bytes: RawSpan) -> Int {
        (start..<bytes.byteCount).first { bytes.byte(at: $0) > 0x20 } ?? bytes.byteCount
    }

    /// Takes members out: each with a comma, so that the rest stays as it stands.
    func removing(_ going: [Int]) -> TextEdit {
        guard let end = members.last?.range.upperBound else { return .none }
        guard let last = members.indices.last(where: { !going.contains($0) }) else {
            return TextEdit(removing: [range.lowerBound + 1..<end])
        }
        let ranges = going.filter { $0 < last }.map { members[$0].span }
        let isLast = going.contains { $0 > last }
        return TextEdit(removing: isLast ? ranges + [members[last].range.upperBound..<end] : ranges)
    }
}
