internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct BrokerSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Have the session bus start 'keyfob agent' as the identity broker.",
        discussion: """
            Writes the service file com.microsoft.identity.broker1.service among your own ones \
            (~/.local/share/dbus-1/services, XDG_DATA_HOME). The bus then starts the agent with --broker when a program made with \
            MSAL first asks; an agent that is started in another way is the broker too while the file is there. Where another \
            broker's service file is installed, nothing is written. A bus that does not watch its folders knows of it \
            after the next login.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup broker
              keyfob setup broker --undo
            """)

    @OptionGroup var setup: SetupOptions

    static let tool = "broker"

    func add() throws(KeyringError) {
        if let other = BrokerServiceFile.other(Environment.current.variables) {
            throw KeyringError(
                .alreadyExists, "another identity broker is installed (\(other)); nothing was changed",
                hint: "use that one, or remove it first")
        }
        let file = try Self.file(setup.global)
        if BrokerServiceFile.isOwn(file.text) {
            return setup.global.say("the session bus starts the agent as the broker already, by \(file.path)")
        }
        guard let own = FileAccess.link("/proc/self/exe"), let new = BrokerSetup(program: own) else {
            throw KeyringError(
                .configuration, "a service file cannot say the path at which keyfob is installed",
                hint: "install it in a folder whose name has no spaces and no signs of a shell")
        }
        let plan = try file.plan(hint: "docs/broker.md says what is to stand in it", new.adding)
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [Self.tool])
            setup.global.say(
                "the session bus starts the agent as the identity broker now; '\(Self.undoing())' removes it")
        }
    }

    func undo() throws(KeyringError) {
        let file = try Self.file(setup.global)
        try removeLines(of: file, hint: "remove \(file.path) by hand", BrokerSetup.removing)
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        [
            SetupDocument.Tool(tool, path: try path()) { () throws(KeyringError) in
                BrokerServiceFile.isOwn(try file(global).text) ? [] : nil
            }
        ]
    }

    private static func file(_ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, try path(), lock: .none, global)
    }

    private static func path(_ environment: Environment = .current) throws(KeyringError) -> String {
        guard let path = BrokerServiceFile.ownPath(environment.variables) else {
            throw KeyringError(.configuration, "neither HOME nor XDG_DATA_HOME is set", hint: nil)
        }
        return path
    }
}
