package import KeyfobModel

/// What a provider's answer is where it is not what the protocol says; no case holds any of it.
package enum ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than ``HTTPResponse/bodyLimit`` bytes.
    case tooLarge
    /// Nothing where there should be a document.
    case empty
    /// A page for people, from a proxy or a portal.
    case html
    /// Not JSON.
    case notJSON(JSONError)
    /// JSON, but not an object.
    case notAnObject
    /// An object that has a name twice.
    case repeatedName
    /// A member that must be there.
    case missing(String)
    /// A member of another type, or outside its range.
    case badValue(String)
    /// A document of another issuer than the one asked.
    case otherIssuer
    /// A document of another resource than the one asked.
    case otherResource
    /// A token of a type that is not supported.
    case unknownTokenType
    /// A token that is bound to no key, where the refresh token is.
    case unboundToken
    /// Tokens of another account than the one asked for.
    case otherAccount
    /// Tokens of another tenant than the one asked.
    case otherTenant
    /// What another process found wrong with an answer, in the words of ``description``.
    case reported(String)

    package var description: String {
        switch self {
        case .tooLarge: "the answer is longer than 1 MiB"
        case .empty: "the answer is empty"
        case .html: "the answer is a web page"
        case .notJSON(let error): "the answer is not JSON: \(error)"
        case .notAnObject: "the answer is not a JSON object"
        case .repeatedName: "the answer has a member twice"
        case .missing(let name): "the answer lacks \(name)"
        case .badValue(let name): "the answer has no usable \(name)"
        case .otherIssuer: "the document is another issuer's"
        case .otherResource: "the document is another resource's"
        case .unknownTokenType: "the token is of an unknown type"
        case .unboundToken: "the token is bound to no key, and those before it were (DPoP); it was not taken"
        case .otherAccount: "the answer is about another account"
        case .otherTenant: "the answer is of another tenant"
        case .reported(let words): words
        }
    }
}
