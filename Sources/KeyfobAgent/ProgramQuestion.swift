public import Keyfob

/// What a person is asked before a program does something for the first time.
public struct ProgramQuestion: Sendable {
    /// Who asks.
    public let caller: AgentCaller
    /// What it wants to do.
    public let action: ProgramAction
    /// The accounts that would do; one where it is known which, more where the person chooses, none for whoever signs in.
    public let accounts: [Candidate]
    /// To which group somebody is to sign in; nil for the groups of the accounts.
    public let group: AccessGroup?
    /// Who is to sign in, also where that account is not there yet; nil for whoever does.
    public let account: AccountID?
    /// What the token is for.
    public let scopes: ScopeSet
    /// The client that it is for; nil for any.
    public let clientID: String?

    /// A question.
    public init(
        caller: AgentCaller, action: ProgramAction = .token, accounts: [Candidate], group: AccessGroup? = nil,
        account: AccountID? = nil, scopes: ScopeSet, clientID: String?
    ) {
        self.caller = caller
        self.action = action
        self.accounts = accounts
        self.group = group
        self.account = account
        self.scopes = scopes
        self.clientID = clientID
    }
}

/// What the person says.
public enum ProgramAnswer: Hashable, Sendable {
    /// The program may do it with this account; with whoever signs in where there is none.
    case allowed(Candidate?, ForHowLong)
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
    /// Asks whether the program may do what it wants, and waits for the answer.
    func ask(_ question: ProgramQuestion) async -> ProgramAnswer

    /// Asks with which account the person signs in to the program, and waits for the answer; it lets the program have nothing.
    func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer
}
