internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel
internal import KeyfobTerminal

struct ProgramListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what programs may have.",
        discussion: """
            MAY is what the program may do, or may never do; 'never' alone stands for all actions. FILE is how the \
            program's file is now: 'changed' is another one than was allowed, 'gone' is none, and in place of a link \
            agents see the file to which it leads. In these cases the program gets nothing.

            Example:
              keyfob program list
              keyfob program list --group work --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups()
        let accounts = try keyring.accounts.list(in: groups)
        let (names, digests) = (AccountNaming(among: accounts), FileDigests())
        let listed = try keyring.programs.permissions(in: groups).map { permission in
            ListedPermission(permission, accounts, names, digests)
        }
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(ProgramListDocument(permissions: listed.map(\.document)))
        }
        var table = Table(
            header: ["PROGRAM", "MAY", "ACCOUNT", "GROUP", "FOR", "FILE"], yielding: ["FOR", "GROUP"],
            wrapping: ["MAY", "FOR", "FILE"], usual: ["GROUP": AccessGroup.default.name, "FILE": "as allowed"])
        for item in listed { table.add(item.row) }
        try global.show(
            table,
            orSay: "nothing is decided of any program; 'keyfob program allow PROGRAM --account ACCOUNT' lets one ask")
    }
}

/// A permission with what there is to be said of it.
private struct ListedPermission {
    let permission: ProgramPermission
    let account: Account?
    let name: String
    /// How the file of the program is now.
    let file: ProgramResolver.State?

    init(_ permission: ProgramPermission, _ candidates: [Candidate], _ names: AccountNaming, _ digests: FileDigests) {
        self.permission = permission
        account = candidates.first { $0.account.id == permission.account && $0.group == permission.group }?.account
        name = account.map(names.brief) ?? permission.account?.description ?? "all"
        file =
            permission.isAllowed
            ? ProgramResolver.state(of: permission.program, digest: permission.digest, digests) : nil
    }

    /// What it may do.
    private var may: String {
        let actions = permission.actions.inOrder.map(\.rawValue).joined(separator: ", ")
        return permission.isAllowed ? actions : permission.actions == .all ? "never" : "never \(actions)"
    }

    var row: [String] {
        let what = [permission.scopes.isEmpty ? nil : permission.scopes.spaceSeparated, permission.clientID]
        let text = what.compactMap(\.self).joined(separator: " ")
        let state =
            switch file {
            case .asAllowed: permission.digest == nil ? "any" : "as allowed"
            case .changed: "changed"
            case .gone: "gone"
            case .link(let target): "a link to \(target)"
            case nil: "-"
            }
        return [
            permission.program.description, may,
            name,
            permission.group.name + (permission.writer == .group ? ", by a key of the group" : ""),
            text.isEmpty ? "-" : text, state,
        ]
    }

    var document: ProgramListDocument.Permission {
        ProgramListDocument.Permission(
            program: permission.program.description, decision: permission.isAllowed ? "always" : "never",
            actions: permission.actions.inOrder.map(\.rawValue),
            account: permission.account?.description, username: account?.username, group: permission.group.name,
            scopes: permission.scopes.scopes, clientID: permission.clientID, sha256: permission.digest,
            hasChanged: permission.digest == nil ? nil : file.map { $0 != .asAllowed },
            writer: permission.writer.rawValue)
    }
}

/// `Schemas/program-list.schema.json`.
private struct ProgramListDocument: JSONDocument {
    let formatVersion = 1
    let permissions: [Permission]

    struct Permission: Encodable {
        let program: String
        let decision: String
        let actions: [String]
        let account: String?
        let username: String?
        let group: String
        let scopes: [String]
        let clientID: String?
        let sha256: String?
        let hasChanged: Bool?
        let writer: String
    }
}
