/// Something about an entry of an ADAL cache that its owner should know.
///
/// Entries are named by their place, because what is in them names people.
package struct ADALFinding: Hashable, Sendable, CustomStringConvertible {
    /// Which entry, from 1.
    package let ordinal: Int
    /// What is to be said.
    package let reason: Reason

    /// Why an entry, or a token of it, was left out.
    package enum Reason: Error, Hashable, Sendable {
        /// It is no object.
        case notAnObject
        /// Credentials of an application itself, as Azure CLI keeps them beside the tokens of people.
        case servicePrincipal
        /// A field is missing, null or empty.
        case missing(ADALField)
        /// A field that should be text is something else.
        case notText(ADALField)
        /// A field is too long, or holds characters that do not belong there.
        case unacceptable(ADALField)
        /// There is neither access token nor refresh token.
        case noToken
        /// What old versions left in the place of a deleted token.
        case tombstone
        /// The access token was left out: nobody knows until when it is valid.
        case noExpiry
        /// The access token was left out: nobody knows what it is for.
        case noResource
        /// The access token is for the same as that of another entry, which is newer.
        case superseded(by: Int)
        /// A keychain item without an archive of ADAL.
        case notAnArchive
        /// A keychain item with the data of an earlier one.
        case repeated
    }

    package var description: String { "entry \(ordinal): \(reason)" }
}

extension ADALFinding.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnObject: "it is not an object"
        case .servicePrincipal: "it holds an application's own credentials, which belong to no account"
        case .missing(let field): "it has no \(field.name)"
        case .notText(let field): "its \(field.name) is not text"
        case .unacceptable(let field): "its \(field.name) is too long or holds characters that do not belong there"
        case .noToken: "it has neither an access token nor a refresh token"
        case .tombstone: "it marks a token that was deleted"
        case .noExpiry: "its access token was left out, because its expiry is not a time"
        case .noResource: "its access token was left out, because it has no resource"
        case .superseded(let ordinal):
            "its access token is superseded by that of entry \(ordinal), which is for the same and newer"
        case .notAnArchive: "it is a keychain item that holds no token of ADAL"
        case .repeated: "it is a keychain item with the same data as one before it"
        }
    }
}
