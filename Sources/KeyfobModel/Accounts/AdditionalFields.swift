/// Fields of a foreign entity that Keyfob keeps without interpreting them.
///
/// Each value is held as the JSON text it was written in, so a round trip changes no digit of it.
public struct AdditionalFields: Hashable, Sendable {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// The field's name, unescaped.
        public var name: String
        /// The value as JSON text.
        public var json: String

        /// A field; `json` must be one JSON value.
        public init(name: String, json: String) {
            self.name = name
            self.json = json
        }
    }

    /// The fields in the order they were read.
    public var fields: [Field]

    /// A list of fields.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Whether there is none.
    public var isEmpty: Bool { fields.isEmpty }
}
