internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct GroupCurrentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "current", abstract: "Say who is the current account of a group, and who was before.",
        discussion: """
            For programs that work with one account at a time, as MSAL's single-account mode has it: the account that is \
            signed in alone, or the default of several. What is found is remembered in the group, on this machine; the \
            next call tells by what it changed: a sign-in, a sign-out, a removal, or the choice of another default, and \
            of that who made it. Nothing tells of changes between two calls that lead back.

            Example:
              keyfob group current --json

            Exit status: 0 also where nobody is signed in, 11 where several are and none is the default.
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let current = try keyring.accounts.current(in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(CurrentAccountDocument(current)) }
        let now = current.now?.account.name ?? "nobody"
        try StandardOutput.write(line: "now     \(now)")
        guard let change = current.change else { return }
        let before = current.before.map { $0.username.isEmpty ? $0.id.description : $0.username } ?? "nobody"
        try StandardOutput.write(line: "before  \(before)")
        try StandardOutput.write(entry: "change  \(change.words), seen \(TimeText.moment(change.seenOn))")
    }
}

extension Keyring.CurrentAccount.Change {
    /// By what another account became current.
    fileprivate var words: String {
        let words =
            switch what {
            case .signIn: "a sign-in"
            case .signOut: "a sign-out"
            case .removal: "the removal of the one before"
            case .choice: "another default account" + by
            }
        return words + (isElsewhere ? ", on another copy of the vault" : "")
    }

    private var by: String {
        switch writer {
        case .owner: ", chosen by the owner"
        case .group: ", chosen by somebody with the group's key"
        case .unknown, nil: ""
        }
    }
}

/// `Schemas/group-current.schema.json`.
struct CurrentAccountDocument: JSONDocument {
    let formatVersion = 1
    let group: String
    /// Nil where nobody is signed in.
    let now: Record?
    let before: Formerly?
    let change: Change?
    /// Whether the change was seen by this call.
    let isNews: Bool

    struct Formerly: Encodable {
        let id: String
        let username: String
    }

    struct Change: Encodable {
        let what: String
        let by: String?
        let isElsewhere: Bool
        let seenOn: String
    }

    init(_ current: Keyring.CurrentAccount) {
        group = current.group.name
        now = current.now.map { Record($0) }
        before = current.before.map { Formerly(id: $0.id.description, username: $0.username) }
        change = current.change.map {
            Change(
                what: $0.what.rawValue, by: $0.writer?.rawValue, isElsewhere: $0.isElsewhere, seenOn: $0.seenOn.rfc3339)
        }
        isNews = current.isNews
    }
}
