internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel

struct URLSchemeSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "url-scheme",
        abstract: "Have the desktop bring the answers of sign-ins to Keyfob, by their scheme.",
        discussion: """
            For clients whose redirect address has a scheme of an app's own, such as com.example.app:/callback. Writes \
            keyfob-SCHEME.desktop among your own applications (~/.local/share/applications, XDG_DATA_HOME), and has \
            update-desktop-database note it; the desktop then starts 'keyfob redirect' with such an address. The scheme has a \
            period in its name (RFC 8252, section 7.1), or is msal and a client id. For io.keyfob 'make install' and the package \
            have done it.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup url-scheme com.example.app
              keyfob client add ID --provider contoso \\
                --redirect-uri com.example.app:/callback
              keyfob setup url-scheme com.example.app --undo
            """)

    @Argument(help: "The scheme, without a colon; io.keyfob unless another is named.") var scheme: String?
    @OptionGroup var setup: SetupOptions

    static let tool = "url-scheme"

    func validate() throws {
        if let scheme, PrivateUseScheme(scheme) == nil {
            throw ValidationError(
                "the scheme is a name in small letters with a period in it, such as com.example.app, or msal and a client id"
            )
        }
    }

    func add() throws(KeyringError) {
        let scheme = try named()
        let file = try Self.file(scheme, setup.global)
        guard let own = FileAccess.link("/proc/self/exe"), let new = URLSchemeSetup(scheme, program: own) else {
            throw KeyringError(
                .configuration, "a desktop file cannot say the path at which keyfob is installed",
                hint: "install it in a folder whose name has no spaces and no signs of a shell")
        }
        let plan = try file.plan(hint: "move \(file.path) away, and try again", new.adding)
        let done = "the desktop brings addresses of \(scheme) to Keyfob already, by \(file.path)"
        guard isNeeded(plan, of: file, orSaying: done) else { return }
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [Self.tool])
            updateDatabase(file.path)
            setup.global.say(
                "the desktop brings addresses of \(scheme) to Keyfob now; '\(Self.undoing(scheme.description))' ends that"
            )
        }
    }

    func undo() throws(KeyringError) {
        let file = try Self.file(try named(), setup.global)
        try removeLines(of: file, hint: "remove \(file.path) by hand", URLSchemeSetup.removing)
        updateDatabase(file.path)
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        let folder = try folder()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var schemes = names.compactMap(URLSchemeSetup.scheme).map(\.description).sorted()
        if schemes.isEmpty { schemes = [PrivateUseScheme.own] }
        return schemes.compactMap { PrivateUseScheme($0) }.map { scheme in
            let words = scheme.description == PrivateUseScheme.own ? [tool] : [tool, scheme.description]
            return SetupDocument.Tool(
                tool, path: "\(folder)/\(URLSchemeSetup.fileName(scheme))", setup: words
            ) { () throws(KeyringError) in
                try file(scheme, global).present { text throws(SetupFlaw) in
                    try URLSchemeSetup.isThere(in: text) ? [scheme.description] : []
                }
            }
        }
    }

    private func named() throws(KeyringError) -> PrivateUseScheme {
        guard let scheme = PrivateUseScheme(scheme ?? PrivateUseScheme.own) else {
            throw KeyringError(.usage, "that is no scheme", hint: nil)
        }
        return scheme
    }

    private static func file(_ scheme: PrivateUseScheme, _ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, "\(try folder())/\(URLSchemeSetup.fileName(scheme))", lock: .none, global)
    }

    private static func folder(_ environment: Environment = .current) throws(KeyringError) -> String {
        if let folder = environment["XDG_DATA_HOME"] { return folder + "/applications" }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor XDG_DATA_HOME is set", hint: nil)
        }
        return home + "/.local/share/applications"
    }

    /// Has the desktop's list of who opens what made anew; without it most desktops know of no new file.
    private func updateDatabase(_ path: String) {
        let folder = FileAccess.folder(of: path)
        guard FileAccess.status(folder, following: true) != nil else { return }
        let name = "update-desktop-database"
        guard let program = SearchPath.program(name) else {
            return setup.global.say(
                "keyfob: warning: \(name) is not in PATH: install desktop-file-utils and run '\(name) \(ShellWord.quoted(folder))'"
            )
        }
        if ChildProgram(path: program, arguments: ["-q", folder]).run() == .status(0) { return }
        setup.global.say("keyfob: warning: \(name) has failed: run '\(name) \(ShellWord.quoted(folder))'")
    }
}
