internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct GitSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Let git ask Keyfob for credentials.",
        discussion: """
            Writes credential.helper and credential.useHttpPath into the file that 'git config --global' writes: \
            GIT_CONFIG_GLOBAL, ~/.gitconfig, or ~/.config/git/config where that alone is there. The lines come first, so that \
            Keyfob is asked before other helpers there; those of files that it includes, and of the system, are not looked \
            at. Where git-credential-keyfob is not in PATH, its path is written.

            \(SetupOptions.discussion)

            Example:
              keyfob setup git
              keyfob setup git --undo --force
            """)

    @OptionGroup var setup: SetupOptions

    static let tool = ToolCall.git.tool

    func add() throws(KeyringError) {
        let file = try Self.file(Self.path(), setup.global)
        let way = try ToolCall.git.way()
        let plan = try file.plan(
            hint:
                "type 'git config --global credential.helper keyfob' and 'git config --global credential.useHttpPath true'"
        ) { text throws(SetupFlaw) in try GitSetup(way).adding(to: text) }
        guard isNeeded(plan, of: file, orSaying: "git asks Keyfob already, by \(file.path)") else { return }
        tellPath(.git, way)
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [Self.tool])
            setup.global.say("git asks Keyfob now; '\(Self.undoing())' takes the lines out again")
        }
    }

    func undo() throws(KeyringError) {
        var isDone = false
        for path in try Self.paths() {
            let file = try Self.file(path, setup.global)
            guard GitSetup.hasLines(in: file.text) else { continue }
            let plan = try file.plan(
                hint: "take out by hand what stands between '# keyfob setup: begin' and '# keyfob setup: end'",
                GitSetup.removing)
            isDone = true
            try remove("setup's lines", plan, from: file, isBlank: \.isEmpty)
        }
        guard !isDone else { return }
        let path = try Self.path()
        setup.global.say("\(path) has no lines of setup")
        if GitSetup.isThere(in: try Self.file(path, setup.global).text) {
            setup.global.say(
                "credential.helper names Keyfob there all the same; 'git config --global --unset-all credential.helper keyfob' "
                    + "changes that")
        }
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        [
            SetupDocument.Tool(tool, path: try path()) { () throws(KeyringError) in
                for path in try paths() where GitSetup.isThere(in: try file(path, global).text) { return [] }
                return nil
            }
        ]
    }

    private static func file(_ path: String, _ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, path, lock: .target, global)
    }

    /// The file that `git config --global` writes.
    private static func path() throws(KeyringError) -> String {
        let paths = try paths()
        // git takes the other one only where it is there alone.
        let present = paths.first { FileAccess.status($0, following: true) != nil }
        return present ?? paths[0]
    }

    /// The files that git reads for its user.
    private static func paths(_ environment: Environment = .current) throws(KeyringError) -> [String] {
        if let named = environment["GIT_CONFIG_GLOBAL"] { return [named] }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor GIT_CONFIG_GLOBAL is set", hint: nil)
        }
        let folder = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        return [home + "/.gitconfig", folder + "/git/config"]
    }
}
