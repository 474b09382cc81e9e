@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault

/// What a keyring holds, but for what tells when and how often it was written: to be compared before and after.
struct KeyringContent: Equatable, CustomStringConvertible {
    /// What there is, a line each, of each group.
    let groups: [String: [String]]

    init(_ keyring: Keyring) throws {
        groups = try keyring.withState { state in
            var groups: [String: [String]] = [:]
            for group in state.vault.groups {
                var lines: [String] = []
                let isWhole = try keyring.database.forEachItem(in: group) { result, secrets in
                    let found = try result.get()
                    guard !found.record.isTombstone else { return }
                    let token = found.record.secretCommitment == nil ? "-" : text(of: try secrets.secret(of: found))
                    lines.append("\(Self.steady(found.item.content)) \(found.item.isOwners) \(token)")
                }
                guard isWhole else { throw StoreErrorOfTest.incomplete }
                groups[group.name.name] = lines.sorted()
            }
            return groups
        }
    }

    enum StoreErrorOfTest: Error { case incomplete }

    /// The content without what grows with each sign-in.
    private static func steady(_ content: ItemContent) -> ItemContent {
        guard var credential = content.credential, let grant = credential.grant else { return content }
        credential.grant = Grant(state: grant.state, rotates: grant.rotates)
        return .credential(credential)
    }

    var description: String {
        groups.sorted { $0.key < $1.key }.map { "\($0.key):\n  " + $0.value.joined(separator: "\n  ") }
            .joined(separator: "\n")
    }

    /// What there is without the note of which accounts were there, which follows by itself.
    var withoutFormer: String {
        groups.sorted { $0.key < $1.key }.map { name, lines in
            ([name] + lines.filter { !$0.contains("\"former accounts\"") }).joined(separator: "\n  ")
        }.joined(separator: "\n")
    }

    /// How many items there are.
    var count: Int { groups.values.reduce(0) { $0 + $1.count } }
}

extension Keyring {
    /// How many records the undo journals hold of what sign-outs and removals took away.
    func journalCount() throws -> Int {
        try withState { state in
            try state.vault.groups.reduce(0) { count, group in
                try count
                    + database.journal(in: group.keys).items.count {
                        // A note of what no undo takes back holds nothing.
                        Undo.isOfTaking($0.value.entry.command) && JournalAct($0.value)?.lastingChange == nil
                    }
            }
        }
    }
}

extension Keyring.Undo {
    /// Whether a command takes something away, and does no more.
    static func isOfTaking(_ command: String) -> Bool {
        !command.hasPrefix("undo of ") && !command.hasPrefix("redo of ")
            && ![
                "add", "login", "bind", "unbind", "account default", "account label", "account move", "import",
                "restore",
                "program allow", "program deny", "group create", "group rename", "provider add", "client add", "allow",
            ].contains(command)
    }

    /// What sign-outs and removals took away.
    func taken(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [UndoEntry] {
        try kept(in: groups).filter { !$0.isLasting && Self.isOfTaking($0.command) }
    }

    /// Brings back what the newest of them took away.
    @discardableResult
    func undoTaken() throws(KeyringError) -> UndoEntry {
        guard let newest = try taken().first(where: \.bringsBack) else { throw KeyringError(.noSuchEntry, "nothing") }
        return try undo(newest.id)
    }
}
