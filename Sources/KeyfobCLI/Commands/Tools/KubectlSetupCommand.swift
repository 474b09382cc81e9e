internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct KubectlSetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Add a user to the kubeconfig whose token Keyfob gives.",
        discussion: """
            Writes the user into the kubeconfig that kubectl would write: the first of KUBECONFIG that is there, or \
            ~/.kube/config, where that is as kubectl itself writes it. It is kubectl that says in which clusters the user is \
            used, and Keyfob to which servers a token goes; the commands for both are printed. The user's lines are those \
            that kubectl writes as well, so that --undo finds them after kubectl has changed the file.

            \(SetupOptions.discussion)

            Example:
              keyfob setup kubectl --scope https://api.cluster.example/.default
              keyfob bind --host api.cluster.example:6443 ada@contoso.example
              kubectl config set-context --current --user=keyfob
              keyfob setup kubectl --undo
            """)

    @Argument(help: "What the user is called in the kubeconfig.") var user = Self.usualUser

    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token must have; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: [.short, .long], help: ArgumentHelp("The account, where none is bound to the server.", valueName: "name"))
    var account: String?

    @OptionGroup var setup: SetupOptions

    private static let usualUser = "keyfob"
    private static let tool = "kubectl"

    func validate() throws {
        for (name, value) in [("the user", user), ("--account", account)] + scope.map({ ("--scope", $0) }) {
            if let value, !Identifier.isAcceptable(value) {
                throw ValidationError("\(name) is blank or holds control characters")
            }
        }
    }

    func run() throws {
        let file = try Self.file(setup.global)
        if setup.undo { try undo(file) } else { try add(file) }
        if setup.global.json {
            try JSONOutput.print(SetupDocument(tools: [try Self.state(setup.global)]))
        }
    }

    private var options: [String] {
        let global = setup.global
        return scope.map { "--scope=\($0)" } + (account.map { ["--account=\($0)"] } ?? [])
            + (global.vault.map { ["--vault=\($0)"] } ?? []) + global.group.map { "--group=\($0)" }
    }

    private func add(_ file: SetupFile) throws(KeyringError) {
        let (path, isHelper): (String?, Bool) =
            switch try CredentialProgram(.kubectl) {
            case .named: (nil, true)
            case .at(let path): (path, true)
            case .word(of: let path): (path, false)
            }
        let plan = try file.plan(hint: "choose another name, or type \(command(path, isHelper: isHelper))") {
            text throws(SetupFlaw) in
            try KubectlSetup(user: user, path: path, isHelper: isHelper, options: options).adding(to: text)
        }
        guard !plan.edit.isEmpty else {
            return setup.global.say("\(file.path) has the user '\(user)' already")
        }
        if path != nil {
            setup.global.say("kubectl-keyfob is not in PATH: its path is written, and has to stay as it is")
        }
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [user], beside: (try? KubectlSetup.users(in: file.text)) ?? [])
            setup.global.say(
                "added the user '\(user)' to \(file.path); '\(undoCommand)' takes it out again")
            setup.global.say("say where its token goes: keyfob bind --host SERVER ACCOUNT")
            setup.global.say(
                "and where it is used: kubectl config set-context --current --user=\(ShellWord.quoted(user))")
        }
    }

    private var undoCommand: String {
        "keyfob setup kubectl \(user == Self.usualUser ? "" : ShellWord.quoted(user) + " ")--undo"
    }

    private func undo(_ file: SetupFile) throws(KeyringError) {
        let former = file.note.flatMap { FormerEntries(rawValue: $0.form) } ?? .some
        let plan = try file.plan(hint: "type kubectl config unset users.\(ShellWord.quoted(user))") {
            text throws(SetupFlaw) in
            try KubectlSetup.removing(user, from: text, former: former)
        }
        guard !plan.edit.isEmpty else { return setup.global.say("\(file.path) has no user '\(user)'") }
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            let isGone = try file.undo(plan, rest: file.entries.filter { $0 != user }, isBlank: KubectlSetup.isBlank)
            setup.global.say(
                "removed the user '\(user)' from \(file.path)\(isGone ? ", and the file, which setup had made" : "")"
            )
        }
    }

    /// The command of kubectl that does the same.
    private func command(_ path: String?, isHelper: Bool) -> String {
        let words = path == nil || isHelper ? [] : ["helper", "kubectl"]
        let all =
            [
                "kubectl", "config", "set-credentials", user, "--exec-command=\(path ?? "kubectl-keyfob")",
                "--exec-api-version=client.authentication.k8s.io/v1beta1", "--exec-provide-cluster-info=true",
            ] + (words + options).map { "--exec-arg=\($0)" }
        return all.map(ShellWord.quoted).joined(separator: " ")
    }

    static func state(_ global: GlobalOptions) throws(KeyringError) -> SetupDocument.Tool {
        SetupDocument.Tool(tool, path: try path()) { () throws(KeyringError) in
            try file(global).present(KubectlSetup.users)
        }
    }

    private static func file(_ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, try path(), lock: .name, global)
    }

    /// The kubeconfig to which kubectl adds: the first that is there, else the last.
    private static func path(_ environment: Environment = .current) throws(KeyringError) -> String {
        let named = environment["KUBECONFIG"]?.split(separator: ":").map(String.init) ?? []
        if let path = named.first(where: { FileAccess.status($0, following: true) != nil }) ?? named.last {
            return path
        }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor KUBECONFIG is set", hint: nil)
        }
        return home + "/.kube/config"
    }
}
