public import KeyfobModel

/// The answer to a request: a verdict for every account, and what follows from them.
public struct Selection: Hashable, Sendable {
    /// Every account with its verdict: the chosen one, then those that would do, the likeliest first, then
    /// those that will not do; in an order that does not depend on that of the input.
    public let verdicts: [Judged]
    /// What follows.
    public let outcome: Outcome
    /// Bindings made with a group's key whose account is gone or will not do: the group's other accounts are out of it.
    public let passedOver: [Binding]
    /// Bindings to no account that the request meets, at most one of each group: the group's wider bindings did not count.
    public let blocking: [Binding]

    /// The accounts that a person could mean, the likeliest first: those too that what is known speaks against.
    package var choices: [Judged] {
        verdicts.filter { judged in
            switch judged.verdict {
            case .chosen, .possible: true
            case .rejected(let rejection):
                rejection.leavesAChoice
            }
        }
    }

    /// Whether a tool that asks goes on to whoever else may have a credential: no account's tokens go to the host, or none is
    /// called as the user in the address.
    package func leavesToOthers(_ request: TokenRequest) -> Bool {
        switch outcome {
        case .nobodyNamed: request.account == nil
        case .nobody:
            verdicts.allSatisfy { judged in
                if case .rejected(let rejection) = judged.verdict { rejection.isOfDestination } else { false }
            }
        case .chosen, .ambiguous, .contradiction, .meantInVain, .boundToNobody, .boundInVain: false
        }
    }

    /// The tenant that the binding names by which the account was chosen: whoever asks for that account by its name asks for
    /// this tenant too.
    public var boundTenant: String? {
        for judged in verdicts {
            if case .chosen(let reason) = judged.verdict { return reason.binding?.tenant }
        }
        return nil
    }

    /// An account and what is said of it.
    public struct Judged: Hashable, Sendable {
        /// The account.
        public let candidate: Candidate
        /// What is said of it.
        public let verdict: Verdict
    }

    /// What follows from the verdicts.
    public enum Outcome: Hashable, Sendable {
        /// This account.
        case chosen(Candidate)
        /// Several would do, or several answer to the name given: somebody has to say. The likeliest is first.
        case ambiguous([Candidate])
        /// The request names an account, and none answers to the name.
        case nobodyNamed(String)
        /// What whoever asks says, and the user in the address, mean different accounts.
        case contradiction(account: String, login: String)
        /// This account is meant, for this reason, and will not do: nobody else is taken.
        case meantInVain(Candidate, Verdict.Reason, Verdict.Rejection)
        /// The owner bound the request to an account that is no longer there.
        case boundToNobody(Binding)
        /// The owner bound the request to an account that will not do.
        case boundInVain(Binding, Candidate, Verdict.Rejection)
        /// No account will do.
        case nobody
    }
}

extension Verdict.Rejection {
    /// Whether a person could mean the account all the same.
    fileprivate var leavesAChoice: Bool {
        switch self {
        case .lessLikely, .notDefault, .boundToAnother, .boundInVain, .anotherIndicated, .neverGranted, .signedOut: true
        case .notNamed, .otherEnvironment, .hostNotAllowed, .notInTenant, .unknownToClient, .scopesNotGranted, .removed:
            false
        case .meant(_, let rejection): rejection.leavesAChoice
        }
    }
}
