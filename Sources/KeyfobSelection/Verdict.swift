public import KeyfobModel

/// What the selection says of one account, and why.
public enum Verdict: Hashable, Sendable {
    /// It is the one.
    case chosen(Reason)
    /// It would do; others would too.
    case possible(Usage?)
    /// It will not do.
    case rejected(Rejection)

    /// Why an account was chosen.
    public enum Reason: Hashable, Sendable {
        /// Whoever asks names it.
        case explicit
        /// The address names it, by this user.
        case addressUser(String)
        /// What surrounds whoever asks names it.
        case usual
        /// The owner bound the request to it.
        case bound(Binding)
        /// No other will do.
        case onlyOne
        /// No other was ever granted the scopes.
        case onlyGranted
        /// The repository, or the address, indicates it.
        case indicated(Indication)
        /// It was used before where the request comes from.
        case learned(Usage)
        /// The folder is bound to it from which the calling program was called.
        case calledFrom(String, Binding)
        /// It is the group's default, and nothing that was used speaks against it.
        case groupDefault

        /// A stable name for documents.
        public var name: String {
            switch self {
            case .explicit: "explicit"
            case .addressUser: "addressUser"
            case .usual: "variable"
            case .bound: "bound"
            case .onlyOne: "onlyOne"
            case .onlyGranted: "onlyGranted"
            case .indicated(let indication): indication.name
            case .learned: "learned"
            case .calledFrom: "calledFrom"
            case .groupDefault: "groupDefault"
            }
        }
    }

    /// Why an account will not do.
    public indirect enum Rejection: Hashable, Sendable {
        /// The request names another.
        case notNamed
        /// Its provider is another one.
        case otherEnvironment(String)
        /// Its tokens do not go to the host.
        case hostNotAllowed(String)
        /// It has no profile in the tenant, and no token for it, and cannot visit it, or another account is known there.
        case notInTenant(String)
        /// The client holds nothing of it.
        case unknownToClient(String)
        /// The person signed out.
        case signedOut
        /// Its grant does not reach the scopes.
        case scopesNotGranted(ScopeSet)
        /// The owner bound the request to another.
        case boundToAnother(Binding)
        /// It was never granted the scopes, and another was.
        case neverGranted(ScopeSet)
        /// The repository, or the address, indicates another.
        case anotherIndicated(Indication)
        /// Another is likelier by far.
        case lessLikely(Usage)
        /// Another is the default of its group.
        case notDefault
        /// Its group bound the request to an account that is gone or will not do.
        case boundInVain(Binding)
        /// It was removed.
        case removed
        /// It is meant, for this reason, and will not do: nobody else is taken.
        case meant(Reason, but: Rejection)

        /// A stable name for documents.
        public var name: String {
            switch self {
            case .notNamed: "notNamed"
            case .otherEnvironment: "otherEnvironment"
            case .hostNotAllowed: "hostNotAllowed"
            case .notInTenant: "notInTenant"
            case .unknownToClient: "unknownToClient"
            case .signedOut: "signedOut"
            case .scopesNotGranted: "scopesNotGranted"
            case .boundToAnother: "boundToAnother"
            case .neverGranted: "neverGranted"
            case .anotherIndicated: "anotherIndicated"
            case .lessLikely: "lessLikely"
            case .notDefault: "notDefault"
            case .boundInVain: "boundInVain"
            case .removed: "removed"
            case .meant(_, let rejection): rejection.name
            }
        }

        /// Whether it lacks no more than what the request asks of it: a tenant, a client or scopes.
        var isOfAbility: Bool {
            switch self {
            case .notInTenant, .unknownToClient, .scopesNotGranted: true
            default: false
            }
        }

        /// Whether the host is why.
        public var isOfDestination: Bool {
            if case .hostNotAllowed = self { true } else { false }
        }
    }

    /// What the history says of the account, where it was asked.
    public var usage: Usage? {
        switch self {
        case .chosen(.learned(let usage)), .rejected(.lessLikely(let usage)), .rejected(.meant(.learned(let usage), _)):
            usage
        case .possible(let usage): usage
        default: nil
        }
    }

    /// The binding that decided, where one did.
    public var binding: Binding? {
        switch self {
        case .chosen(.bound(let binding)), .chosen(.calledFrom(_, let binding)),
            .rejected(.boundToAnother(let binding)),
            .rejected(.boundInVain(let binding)), .rejected(.meant(.bound(let binding), _)):
            binding
        default: nil
        }
    }
}

extension Verdict.Reason {
    /// The binding by which an account was chosen.
    package var binding: Binding? {
        switch self {
        case .bound(let binding), .calledFrom(_, let binding): binding
        default: nil
        }
    }
}
