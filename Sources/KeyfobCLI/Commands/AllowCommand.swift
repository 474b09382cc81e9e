internal import ArgumentParser
internal import Keyfob

struct AllowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Allow a .keyfob.toml to say which account its directory uses.",
        discussion: """
            The file holds account = "NAME", where "none" stands for no account, and may hold group = "NAME" and \
            tenant = "ID". It counts until it changes, and only if it is a regular file of yours or root's. Without \
            FILE, the nearest one from the current directory upwards.

            Example:
              keyfob allow
              keyfob allow ~/work/.keyfob.toml
              keyfob allow --revoke ~/work
            """)

    @Argument(help: "The file, or its directory.") var file: String?
    @Flag(name: .long, help: "Take the allowance back.") var revoke = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        guard let path = file ?? ProjectFile.nearest(from: ".") else {
            throw KeyringError(
                .noSuchFile, "there is no \(ProjectFile.name) here or above", hint: "'keyfob allow --help' shows one")
        }
        let keyring = try global.unlockedKeyring(reaching: .files())
        guard !revoke else {
            let path = try keyring.bindings.disallow(path, in: global.groups())
            global.tellWarnings(of: keyring)
            return try global.tell(.disallowed, "\(path) does not count any more") {
                $0.subject = ChangeDocument.Subject(file: path)
            }
        }
        let binding = try keyring.bindings.allow(path, in: global.groups())
        global.tellWarnings(of: keyring)
        let words = try Self.words(binding, keyring)
        try global.tell(.allowed, words) {
            $0.subject = ChangeDocument.Subject(binding.subject)
            $0.group = binding.origin.group.name
            if case .account(let id) = binding.target { $0.account = id.description }
        }
    }

    private static func words(_ binding: Binding, _ keyring: Keyring) throws(KeyringError) -> String {
        let group = binding.origin.group
        let who: String
        switch binding.target {
        case .nobody:
            return "allowed: \(binding.subject.text) is bound to none: \(Binding.meaningOfNone(in: group))"
        case .account(let id): who = try keyring.accounts.named(id.description, in: [group]).account.name
        }
        return "allowed: \(binding.subject.text) uses \(who) of group '\(group)'"
            + (binding.tenant.map { " in tenant \($0)" } ?? "")
    }
}
