/// Writes JSON without white space to the end of a byte array, and puts the commas.
///
/// Not for secrets: the array is ordinary memory.
package struct JSONWriter: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// A writer that has written nothing.
    package init() {}

    /// Forgets what was written, because it went out, and goes on at the same place.
    package mutating func removeWritten() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Goes on as if the value had been written that belongs behind ``bytes``: a secret, which may
    /// not be in them.
    package mutating func skipValue() {
        needsComma = true
    }

    /// Begins an object.
    package mutating func beginObject() {
        beginValue()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Ends the object begun last.
    package mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Begins an array.
    package mutating func beginArray() {
        beginValue()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Ends the array begun last.
    package mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes the name of the member whose value comes next.
    package mutating func name(_ name: String) {
        beginValue()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
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

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        guard text.utf8.contains(where: JSONEscape.isNeeded) else {
            bytes.append(contentsOf: text.utf8)
            return bytes.append(UInt8(ascii: "\""))
        }
        for byte in text.utf8 {
            let escape = JSONEscape(byte)
            for index in 0..<escape.count { bytes.append(escape[index]) }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
