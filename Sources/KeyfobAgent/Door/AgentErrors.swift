package import Keyfob
internal import KeyfobModel

extension VarlinkMessage {
    /// An error in the terms of `io.keyfob.Agent`.
    ///
    /// - Parameter hint: What to do about it, in one line.
    package static func error(_ error: KeyringError, hint: String?) -> VarlinkMessage {
        let kind = Kind(error.code)
        return .error("\(AgentInterface.name).\(kind.name)") { writer in
            writer.members(of: error, hint: hint)
            if case .tryAgain(let seconds) = kind { writer.member("seconds", seconds) }
        }
    }

    /// Which error of the interface one is.
    private enum Kind {
        case notPermitted, mustSignIn, ambiguous, notFound, locked, failed
        case tryAgain(seconds: Int)

        init(_ code: KeyringError.Code) {
            switch code {
            case .notPermitted: self = .notPermitted
            case .signInNeeded: self = .mustSignIn
            case .ambiguous: self = .ambiguous
            case .noSuchAccount, .noSuchGroup, .noSuchProvider, .noSuchClient: self = .notFound
            case .locked: self = .locked
            case .busy: self = .tryAgain(seconds: 1)
            case .offline: self = .tryAgain(seconds: 10)
            case .throttled: self = .tryAgain(seconds: 60)
            default: self = .failed
            }
        }

        var name: String {
            switch self {
            case .notPermitted: "NotPermitted"
            case .mustSignIn: "MustSignIn"
            case .ambiguous: "Ambiguous"
            case .notFound: "NotFound"
            case .locked: "Locked"
            case .tryAgain: "TryAgain"
            case .failed: "Failed"
            }
        }
    }
}

extension KeyringError {
    /// The error as programs are told of it: an agent is unlocked in another way than a shell.
    package var toldByAgent: KeyringError {
        guard code == .locked else { return self }
        return switch advice {
        case .unlock, .unlockForUser, .unlockWithRuntimeFolder, .giveKeyFile, .giveOtherKey:
            saying(advice: .unlockAgent)
        default: self
        }
    }
}

extension JSONWriter {
    /// Writes what happened, what to do about it, what it is about, and how a person continues.
    ///
    /// - Parameter hint: The advice in words, in one line.
    package mutating func members(of error: KeyringError, hint: String?) {
        member("message", error.message)
        member("code", error.code.rawValue)
        member("hint", hint)
        member("advice", error.advice?.code)
        member("candidates", error.candidates)
        member("names", error.candidateNames)
        if let continuation = error.continuation { member(continuation) }
    }

    /// Writes how a person continues.
    private mutating func member(_ continuation: Continuation) {
        name("continuation")
        beginObject()
        member("id", continuation.id)
        member("action", continuation.action.rawValue)
        member("provider", continuation.provider)
        member("account", continuation.account)
        member("name", continuation.name)
        member("group", continuation.group?.name)
        member("tenant", continuation.tenant)
        member("client", continuation.clientID)
        member("scopes", continuation.scopes.scopes)
        member("claims", continuation.claims)
        endObject()
    }
}
