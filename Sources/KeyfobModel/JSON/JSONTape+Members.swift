extension JSONTape {
    /// A name and its value.
    package struct Member: Sendable {
        /// The name, a string.
        package let name: Value
        /// The value.
        package let value: Value
        /// Whether the same name comes again further down, so that this one does not count.
        package let isSuperseded: Bool
    }

    /// The members of an object in their order; nothing for other kinds.
    package struct Members: Sequence, IteratorProtocol {
        fileprivate let tape: JSONTape
        fileprivate let includesSuperseded: Bool
        fileprivate var cursor: UInt32
        fileprivate let end: UInt32

        package mutating func next() -> Member? {
            while cursor < end {
                let name = Value(index: cursor)
                let value = Value(index: cursor + 1)
                cursor = tape[value].next
                let isSuperseded = tape[name].isSuperseded
                if includesSuperseded || !isSuperseded {
                    return Member(name: name, value: value, isSuperseded: isSuperseded)
                }
            }
            return nil
        }
    }

    /// The elements of an array in their order; nothing for other kinds.
    package struct Elements: Sequence, IteratorProtocol {
        fileprivate let tape: JSONTape
        fileprivate var cursor: UInt32
        fileprivate let end: UInt32

        package mutating func next() -> Value? {
            guard cursor < end else { return nil }
            defer { cursor = tape.nodes[Int(cursor)].next }
            return Value(index: cursor)
        }
    }

    /// The members of an object, of repeated names only the last unless `includesSuperseded`.
    package func members(of object: Value, includingSuperseded includesSuperseded: Bool = false) -> Members {
        let inside = inside(object, if: .object)
        return Members(
            tape: self, includesSuperseded: includesSuperseded, cursor: inside.lowerBound, end: inside.upperBound)
    }

    /// The elements of an array.
    package func elements(of array: Value) -> Elements {
        let inside = inside(array, if: .array)
        return Elements(tape: self, cursor: inside.lowerBound, end: inside.upperBound)
    }

    /// The value called `name` in an object.
    package func member(_ name: String, of object: Value, in bytes: RawSpan) -> Value? {
        for member in members(of: object) where text(of: member.name)?.equals(name, in: bytes) ?? false {
            return member.value
        }
        return nil
    }

    private func inside(_ container: Value, if kind: JSONKind) -> Range<UInt32> {
        let node = self[container]
        return node.kind == kind ? container.index + 1..<node.next : 0..<0
    }
}
