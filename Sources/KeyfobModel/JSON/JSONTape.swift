/// The structure of a JSON text: what is where, and no text.
///
/// The tape never copies what it describes, so a secret in the source stays where it is until
/// somebody asks for it. Whoever asks passes the same bytes again; other bytes give wrong answers or
/// trap, but touch no memory outside of them.
///
/// Read strictly by RFC 8259, except that a UTF-8 byte order mark may come first. Where an object
/// has a name twice the last one counts, as in Python's `json`; the others stay on the tape and are
/// listed in ``duplicates``.
package struct JSONTape: Sendable {
    /// A value on the tape; means nothing to another tape.
    package struct Value: Hashable, Sendable {
        let index: UInt32
    }

    /// A name that occurs a second time in one object.
    package struct Duplicate: Hashable, Sendable {
        /// The object.
        package let object: Value
        /// The name that no longer counts.
        package let superseded: Value
        /// The same name further down.
        package let winner: Value
    }

    /// One value or name: 16 bytes.
    struct Node {
        /// The first byte; of a string, its quotation mark.
        var start: UInt32
        /// The byte after the last.
        var end: UInt32
        /// The node after this one and all that is in it.
        var next: UInt32
        var kind: JSONKind
        var hasEscapes = false
        var isSuperseded = false
    }

    let nodes: [Node]

    /// The names that occur more than once in their object, in the order their objects end.
    package let duplicates: [Duplicate]

    /// Reads the structure of `bytes`.
    package init(reading bytes: RawSpan, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var scanner = JSONScanner(limits: limits)
        try scanner.scan(Span(_bytes: bytes))
        self.nodes = scanner.nodes
        self.duplicates = scanner.duplicates
    }

    /// The value that the text is.
    package var root: Value { Value(index: 0) }

    /// What a value is.
    package func kind(of value: Value) -> JSONKind { self[value].kind }

    /// Where a value is in the source, brackets and quotation marks included.
    package func range(of value: Value) -> Range<Int> {
        Int(self[value].start)..<Int(self[value].end)
    }

    subscript(_ value: Value) -> Node { nodes[Int(value.index)] }
}

extension JSONTape {
    /// How many bytes each value and each name takes.
    package static var nodeStride: Int { MemoryLayout<Node>.stride }
}

/// What a JSON value is (RFC 8259, section 3).
package enum JSONKind: UInt8, Hashable, Sendable {
    case null, `false`, `true`, number, string, array, object
}
