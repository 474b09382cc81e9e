public import KeyfobModel

/// What the selection says of one account, and why.
public enum Verdict: Hashable, Sendable {
    /// It is the one.
    case chosen(Reason)
    /// It would do; others would too.
    case possible
    /// It will not do.
    case rejected(Rejection)

    /// Why an account was chosen.
    public enum Reason: String, Hashable, Sendable {
        /// The request names it.
        case explicit
        /// No other will do.
        case onlyOne
        /// It is the group's default.
        case groupDefault
    }

    /// Why an account will not do.
    public enum Rejection: Hashable, Sendable {
        /// The request names another.
        case notNamed
        /// Its provider is another one.
        case otherEnvironment(String)
        /// It has no profile in the tenant, and no token for it.
        case notInTenant(String)
        /// The client holds nothing of it.
        case unknownToClient(String)
        /// The person signed out.
        case signedOut
        /// The chosen one comes before it.
        case notDefault
        /// The same account in a group that comes earlier in the list.
        case inEarlierGroup(AccessGroup)

        /// A stable name for documents.
        public var name: String {
            switch self {
            case .notNamed: "notNamed"
            case .otherEnvironment: "otherEnvironment"
            case .notInTenant: "notInTenant"
            case .unknownToClient: "unknownToClient"
            case .signedOut: "signedOut"
            case .notDefault: "notDefault"
            case .inEarlierGroup: "inEarlierGroup"
            }
        }
    }
}

extension Verdict: CustomStringConvertible {
    /// One line that a person understands.
    public var description: String {
        switch self {
        case .chosen(.explicit): "chosen: the request names it"
        case .chosen(.onlyOne): "chosen: no other account will do"
        case .chosen(.groupDefault): "chosen: it is the default of its group"
        case .possible: "possible: it would do, and so would another"
        case .rejected(.notNamed): "rejected: the request names another account"
        case .rejected(.otherEnvironment(let own)): "rejected: it is at \(own)"
        case .rejected(.notInTenant(let realm)): "rejected: it has no profile in tenant \(realm)"
        case .rejected(.unknownToClient(let client)): "rejected: client \(client) holds nothing of it"
        case .rejected(.signedOut): "rejected: signed out"
        case .rejected(.notDefault): "rejected: another account is the default"
        case .rejected(.inEarlierGroup(let group)): "rejected: the same account is in group \(group) already"
        }
    }
}
