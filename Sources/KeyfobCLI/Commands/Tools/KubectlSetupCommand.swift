internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct KubectlSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Add a user to the kubeconfig whose token Keyfob gives.",
        discussion: """
            Writes the user into the kubeconfig that kubectl would write: the first of KUBECONFIG that is there, or \
            ~/.kube/config, where that is as kubectl itself writes it. It is kubectl that says in which clusters the user is \
            used, and Keyfob to which servers a token goes; the commands for both are printed. The user's lines are those \
            that kubectl writes as well, so that --undo finds them after kubectl has changed the file.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup kubectl --scope https://api.cluster.example/.default
              keyfob bind --host api.cluster.example:6443 ada@contoso.example
              kubectl config set-context --current --user=keyfob
              keyfob setup kubectl --undo
            """)

    @Argument(help: "What the user is called in the kubeconfig.") var user = Self.usualUser

    @OptionGroup var request: SetupRequestOptions
    @OptionGroup var setup: SetupOptions

    private static let usualUser = "keyfob"
    static let tool = ToolCall.kubectl.tool

    func validate() throws {
        guard Identifier.isAcceptable(user) else {
            throw ValidationError("the user is blank or holds control characters")
        }
    }

    func add() throws(KeyringError) {
        let file = try Self.file(setup.global)
        let way = try ToolCall.kubectl.way()
        let new = KubectlSetup(user: user, way, options: request.words(setup.global))
        let command = new.commandOfKubectl.map(ShellWord.quoted).joined(separator: " ")
        let plan = try file.plan(hint: "'keyfob setup kubectl --undo' takes out what setup made; else type \(command)")
        { text throws(SetupFlaw) in
            try new.adding(to: text)
        }
        guard isNeeded(plan, of: file, orSaying: "\(file.path) has the user '\(user)' already") else { return }
        tellPath(.kubectl, way)
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [user], beside: (try? KubectlSetup.users(in: file.text)) ?? [])
            setup.global.say(
                "added the user '\(user)' to \(file.path); '\(undoing)' removes it")
            request.tellMissingAccount(to: "kubectl", setup.global)
            setup.global.say("say where its token goes: keyfob bind --host SERVER ACCOUNT")
            for way in KubectlContexts(in: file.text).ways(toUse: user) { setup.global.say(way) }
        }
    }

    private var undoing: String { Self.undoing(user == Self.usualUser ? nil : user) }

    func undo() throws(KeyringError) {
        let file = try Self.file(setup.global)
        let plan = try file.plan(hint: "type kubectl config unset users.\(ShellWord.quoted(user))") {
            text throws(SetupFlaw) in
            try KubectlSetup.removing(user, from: text, former: file.former)
        }
        guard !plan.edit.isEmpty else { return setup.global.say("\(file.path) has no user '\(user)'") }
        try remove(
            "the user '\(user)'", plan, from: file, rest: file.entries.filter { $0 != user },
            isBlank: KubectlSetup.isBlank)
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        [
            SetupDocument.Tool(tool, path: try path(), isUndoneByEntry: true) { () throws(KeyringError) in
                try file(global).present(KubectlSetup.users)
            }
        ]
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
