/// Something about an entity that its owner should know: why it was left out, or what was changed.
///
/// Entities are named by section and place, because their keys hold the names of people.
package struct MSALFinding: Hashable, Sendable, CustomStringConvertible {
    /// The section; `unknown` for a top-level node that Keyfob does not know.
    package let section: String
    /// Which entity of the section, from 1; nil for the section itself.
    package let ordinal: Int?
    /// What is to be said.
    package let reason: Reason

    /// A finding.
    package init(section: String, ordinal: Int?, reason: Reason) {
        self.section = section
        self.ordinal = ordinal
        self.reason = reason
    }

    /// What is to be said about an entity.
    package enum Reason: Error, Hashable, Sendable {
        /// It is no object.
        case notAnObject
        /// A field is missing, null or empty.
        case missing(MSALField)
        /// A field that should be text is something else.
        case notText(MSALField)
        /// A field is too long, or holds characters that no identifier has.
        case unacceptable(MSALField)
        /// A time that is no number of seconds between the years 1970 and 9999.
        case noTime(MSALField)
        /// An access token of an application itself, which belongs to no account.
        case tokenOfAnApp
        /// What old versions left in the place of a deleted token.
        case tombstone
        /// The credential type belongs to another section.
        case wrongSection
        /// Another entity says the same and is to be preferred.
        case superseded(by: Int)
        /// The same key comes again further down, where the last one counts.
        case repeatedKey
        /// Not skipped, but this time was left out because it makes no sense.
        case droppedTime(MSALField)
        /// Not skipped, but a field comes more than once, and the last one was used; the field's name if
        /// it is harmless.
        case repeatedField(String?)
    }

    package var description: String {
        "\(section)\(ordinal.map { " entity \($0)" } ?? " section"): \(reason)"
    }
}

extension MSALFinding.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnObject: "it is not an object"
        case .missing(let field): "it has no \(field.spelling)"
        case .notText(let field): "its \(field.spelling) is not text"
        case .unacceptable(let field): "its \(field.spelling) is too long or holds characters that do not belong there"
        case .noTime(let field): "its \(field.spelling) is not a time in seconds between 1970 and 9999"
        case .tokenOfAnApp: "it is an application's own token (no home_account_id), which belongs to no account"
        case .tombstone: "it marks a token that was deleted"
        case .wrongSection: "its credential_type belongs to another section"
        case .superseded(let ordinal): "it is superseded by entity \(ordinal), which has the same fields"
        case .repeatedKey: "its key comes again further down, and the last one counts"
        case .droppedTime(let field):
            "its \(field.spelling) was left out: not a time in seconds between 1970 and 9999"
        case .repeatedField(let name):
            "\(name.map { "its field \($0)" } ?? "a field") comes more than once, and the last one was used"
        }
    }
}
