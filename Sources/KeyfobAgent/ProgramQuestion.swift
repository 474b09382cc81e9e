public import Keyfob

/// What a person is asked before a program gets its first token of an account.
public struct ProgramQuestion: Sendable {
    /// Who asks.
    public let caller: AgentCaller
    /// The accounts that would do; one where it is known which, more where the person chooses.
    public let accounts: [Candidate]
    /// What the token is for.
    public let scopes: ScopeSet
    /// The client that it is for; nil for any.
    public let clientID: String?

    /// A question.
    public init(caller: AgentCaller, accounts: [Candidate], scopes: ScopeSet, clientID: String?) {
        self.caller = caller
        self.accounts = accounts
        self.scopes = scopes
        self.clientID = clientID
    }
}

/// What the person says.
public enum ProgramAnswer: Hashable, Sendable {
    /// The program may have the account's token.
    case allowed(Candidate, ForHowLong)
    /// It may never.
    case never
    /// It may not now.
    case dismissed
    /// There is nobody who could be asked.
    case nobodyThere

    /// How long an answer holds.
    public enum ForHowLong: String, Hashable, Sendable, CaseIterable {
        /// For this request.
        case once
        /// Until the agent ends.
        case session
        /// Until it is taken back.
        case always
    }
}

/// With which account a person signs in to a program that wants it.
public enum AccountAnswer: Hashable, Sendable {
    /// With this one.
    case account(Candidate)
    /// With one that is not among them, who is to sign in first.
    case another
    /// With none.
    case dismissed
    /// There is nobody who could be asked.
    case nobodyThere
}

/// Asks a person about programs.
public protocol ProgramQuestions: Sendable {
    /// Asks whether the program may have a token, and waits for the answer.
    func ask(_ question: ProgramQuestion) async -> ProgramAnswer

    /// Asks with which account the person signs in to the program, and waits for the answer; it lets the program have nothing.
    func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer
}
