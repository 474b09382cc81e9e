internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault

/// A part of a keyring: says nothing of its own but what its name stands for, and works on what all parts share.
protocol KeyringPart: Sendable {
    var keyring: Keyring { get }
}

/// What the parts share.
extension KeyringPart {
    typealias State = Keyring.State

    var location: KeyringLocation { keyring.location }
    var database: any VaultStorage { keyring.database }
    var search: TokenSearch { keyring.search }
    var usage: UsageDatabase { keyring.usage }
    var mark: HighWaterMark { keyring.mark }
    var clock: WallClock { keyring.clock }

    func withState<Result: ~Copyable>(
        _ body: (inout State) throws -> sending Result
    ) throws(KeyringError) -> sending Result {
        try keyring.withState(body)
    }

    func withVault<Result: ~Copyable>(_ body: (inout State) throws -> sending Result) throws -> sending Result {
        try keyring.withVault(body)
    }

    func changeVault<Result>(_ body: (inout State) throws -> sending Result) throws(KeyringError) -> sending Result {
        try keyring.changeVault(body)
    }

    func change<Result>(
        _ state: inout State, _ group: UnlockedVault.Group, as command: String? = nil,
        _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        try keyring.change(&state, group, as: command, body)
    }

    func change<Result>(
        _ state: inout State, _ groups: [UnlockedVault.Group], isNotedLater: Bool = false, note: ChangeNote? = nil,
        _ body: ([GroupWriter]) throws -> Result
    ) throws -> Result {
        try keyring.change(&state, groups, isNotedLater: isNotedLater, note: note, body)
    }

    func noteVault(_ state: inout State) { keyring.noteVault(&state) }
    func noteState(_ state: inout State, of groups: [UnlockedVault.Group]) { keyring.noteState(&state, of: groups) }
    func note(_ state: inout State, _ milestones: [Milestone]) { keyring.note(&state, milestones) }
    func warn(_ code: Warning.Code, _ message: String, advice: Advice? = nil) {
        keyring.warn(code, message, advice: advice)
    }
    func requireEmbedded(_ reason: String) throws { try keyring.requireEmbedded(reason) }
}
