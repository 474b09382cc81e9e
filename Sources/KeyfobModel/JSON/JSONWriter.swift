/// Writes JSON to the end of a byte array, and puts the commas, and for people white space as Foundation's encoder does.
///
/// Not for secrets: the array is ordinary memory.
package struct JSONWriter: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    /// How deep it is, where each value begins a line; nil where all is on one.
    private var depth: Int?
    private var followsName = false

    /// A writer that has written nothing.
    ///
    /// - Parameter capacity: How many bytes there is room for from the start.
    package init(isIndented: Bool = false, capacity: Int = 0) {
        depth = isIndented ? 0 : nil
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written, because it went out, and goes on at the same place.
    package mutating func removeWritten() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Goes on as if the value had been written that belongs behind ``bytes``: a secret, which may
    /// not be in them.
    package mutating func skipValue() {
        needsComma = true
        followsName = false
    }

    /// Begins an object.
    package mutating func beginObject() {
        open(UInt8(ascii: "{"))
    }

    /// Ends the object begun last.
    package mutating func endObject() {
        close(UInt8(ascii: "}"))
    }

    /// Begins an array.
    package mutating func beginArray() {
        open(UInt8(ascii: "["))
    }

    /// Ends the array begun last.
    package mutating func endArray() {
        close(UInt8(ascii: "]"))
    }

    /// Writes the name of the member whose value comes next.
    package mutating func name(_ name: String) {
        beginValue()
        quoted(name)
        bytes.append(contentsOf: (depth == nil ? ":" : " : ").utf8)
        needsComma = false
        followsName = true
    }

    /// Writes a string.
    package mutating func string(_ text: String) {
        beginValue()
        quoted(text)
    }

    /// Writes an array of strings.
    package mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// Writes a member with a string, unless that is nil.
    package mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    /// Writes a member with an array of strings.
    package mutating func member(_ name: String, _ texts: [String]) {
        self.name(name)
        strings(texts)
    }

    /// Writes a member with an integer.
    package mutating func member(_ name: String, _ number: Int) {
        self.name(name)
        integer(Int64(number))
    }

    /// Writes a member with `true` or `false`.
    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    /// Writes a member with an array of objects, of each of which `write` writes the members.
    package mutating func member<Value>(
        _ name: String, each values: [Value], _ write: (Value, inout JSONWriter) -> Void
    ) {
        self.name(name)
        beginArray()
        for value in values {
            beginObject()
            write(value, &self)
            endObject()
        }
        endArray()
    }

    /// Writes an integer.
    package mutating func integer(_ value: Int64) {
        beginValue()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        beginValue()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `json`, which must be one JSON value, as it is.
    package mutating func raw(_ json: String) {
        beginValue()
        bytes.append(contentsOf: json.utf8)
    }

    private mutating func open(_ bracket: UInt8) {
        beginValue()
        bytes.append(bracket)
        needsComma = false
        depth = depth.map { $0 + 1 }
    }

    private mutating func close(_ bracket: UInt8) {
        if let depth {
            self.depth = depth - 1
            if !needsComma { bytes.append(UInt8(ascii: "\n")) }
            beginLine()
        }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        if !followsName, depth ?? 0 > 0 { beginLine() }
        followsName = false
    }

    private mutating func beginLine() {
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<(depth ?? 0) { bytes.append(contentsOf: "  ".utf8) }
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        var end = start
        while end < bytes.count, !JSONEscape.isNeeded(for: bytes[end]) { end += 1 }
        if end < bytes.count {
            bytes.removeLast(bytes.count - end)
            for byte in text.utf8.dropFirst(end - start) {
                let escape = JSONEscape(byte)
                for index in 0..<escape.count { bytes.append(escape[index]) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
