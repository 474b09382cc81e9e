internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct DirenvSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "direnv", abstract: "Let an .envrc say 'use keyfob ACCOUNT'.",
        discussion: """
            Writes the function that direnv calls for it, which sets KEYFOB_ACCOUNT and no token ('keyfob env'), to \
            use_keyfob.sh in ~/.config/direnv/lib (DIRENV_CONFIG). Where that is a link to the file that is installed with \
            Keyfob, there is nothing to do.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup direnv
              echo 'use keyfob ada@contoso.example' >> .envrc && direnv allow
              keyfob setup direnv --undo
            """)

    @OptionGroup var setup: SetupOptions

    static let tool = "direnv"

    func add() throws(KeyringError) {
        let file = try Self.file(setup.global)
        if DirenvSetup.isThere(in: file.text) {
            return setup.global.say("direnv knows 'use keyfob' already, by \(file.path)")
        }
        let plan = try file.plan(hint: "write the function use_keyfob by hand", DirenvSetup.adding)
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [Self.tool])
            setup.global.say(
                "direnv knows 'use keyfob ACCOUNT' in an .envrc now; '\(Self.undoing())' removes it")
        }
    }

    func undo() throws(KeyringError) {
        let file = try Self.file(setup.global)
        try removeLines(of: file, hint: "take the function use_keyfob out by hand", DirenvSetup.removing)
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        [
            SetupDocument.Tool(tool, path: try path()) { () throws(KeyringError) in
                DirenvSetup.isThere(in: try file(global).text) ? [] : nil
            }
        ]
    }

    private static func file(_ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, try path(), lock: .none, global)
    }

    private static func path(_ environment: Environment = .current) throws(KeyringError) -> String {
        let folder =
            environment["DIRENV_CONFIG"] ?? environment["XDG_CONFIG_HOME"].map { $0 + "/direnv" }
            ?? environment["HOME"].map { $0 + "/.config/direnv" }
        guard let folder else {
            throw KeyringError(.configuration, "neither HOME nor DIRENV_CONFIG is set", hint: nil)
        }
        return folder + "/lib/use_keyfob.sh"
    }
}
