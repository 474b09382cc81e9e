/// The attributes of a setting (1 name, 2 value) and of a foreign entity (1 section, 2 key).
package enum NamedValueBody {
    /// A body of two texts.
    package static func encode(_ first: String, _ second: String) -> FieldList {
        var body = FieldList()
        body.append(1, first)
        body.append(2, second)
        return body
    }

    /// The two texts in `body`.
    package static func decode(_ body: FieldList) throws(FieldList.Malformed) -> (first: String, second: String) {
        (try body.requiredText(1), try body.requiredText(2))
    }
}
