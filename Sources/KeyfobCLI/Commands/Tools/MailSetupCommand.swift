internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct MailSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Let msmtp, mbsync or neomutt ask Keyfob for the token of a mail account.",
        discussion: """
            Writes how the password is got, and the mechanism: for msmtp into the account of that name in ~/.msmtprc, for \
            mbsync into the IMAPAccount in ~/.mbsyncrc, for neomutt to the end of its file, for all that it reads. The \
            servers have to be there already; an account that says itself how its password is got stays as it is. mbsync \
            needs a plugin of Cyrus SASL for the mechanism.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup mail msmtp work --account ada@contoso.example \\
                --scope https://outlook.office.com/SMTP.Send
              keyfob setup mail mbsync work --account ada@contoso.example \\
                --scope https://outlook.office.com/IMAP.AccessAsUser.All
              keyfob setup mail neomutt --account ada@gmail.example --sasl oauthbearer
              keyfob setup mail msmtp work --undo
            """)

    @Argument(help: "The mail program: msmtp, mbsync or neomutt.") var program: MailSetup.Program
    @Argument(help: "What the account is called in the program's file.") var entry: String?
    @Option(name: .long, help: ArgumentHelp("How the token is sent: xoauth2 or oauthbearer.", valueName: "mechanism"))
    var sasl: SASLToken = .xoauth2
    @OptionGroup var request: SetupRequestOptions
    @OptionGroup var setup: SetupOptions

    static let tool = "mail"
    var name: String { program.rawValue }

    func validate() throws {
        switch (program, entry) {
        case (.neomutt, .some): throw ValidationError("neomutt's lines are for all of its file; name no account of it")
        case (.msmtp, nil), (.mbsync, nil): throw ValidationError("name the account in \(program)'s file")
        default: break
        }
        if let entry, !Identifier.isAcceptable(entry) {
            throw ValidationError("the account's name is blank or holds control characters")
        }
        if !setup.undo, request.account == nil { throw ValidationError("--account says whose token it is") }
    }

    func add() throws(KeyringError) {
        let file = try file(setup.global)
        let words = [try OwnProgram.word(), "token", "--no-input"] + request.words(setup.global)
        let new = MailSetup(program, entry: entry, sasl, words: words)
        guard new.isSayable else {
            throw KeyringError(.usage, "\(program)'s file cannot say a quotation mark", hint: "name it without one")
        }
        let plan = try file.plan(hint: hint) { text throws(SetupFlaw) in try new.adding(to: text) }
        guard isNeeded(plan, of: file, orSaying: "\(program) asks Keyfob already, by \(file.path)") else { return }
        tellPath(words[0])
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [entry ?? ""], beside: (try? MailSetup.entries(in: file.text)) ?? [])
            setup.global.say("\(program) now asks Keyfob; '\(undoing)' removes the lines")
            request.tellMissingAccount(to: program.rawValue, setup.global)
        }
    }

    private var hint: String {
        switch program {
        case .msmtp: "see 'account', 'auth' and 'passwordeval' in msmtp(1)"
        case .mbsync: "see 'IMAPAccount', 'AuthMechs' and 'PassCmd' in mbsync(1)"
        case .neomutt: "see 'imap_oauth_refresh_command' in neomuttrc(5)"
        }
    }

    private var undoing: String { Self.undoing(program.rawValue, entry) }

    func undo() throws(KeyringError) {
        let file = try file(setup.global)
        let plan = try file.plan(
            hint: "take out by hand what stands between '# keyfob setup: begin' and '# keyfob setup: end'"
        ) { text throws(SetupFlaw) in try MailSetup.removing(entry, of: program, from: text) }
        let whose = entry.map { " for '\($0)'" } ?? ""
        guard !plan.edit.isEmpty else { return setup.global.say("\(file.path) has no lines of setup\(whose)") }
        try remove(
            "setup's lines\(whose)", plan, from: file, rest: file.entries.filter { $0 != entry ?? "" },
            isBlank: \.isEmpty)
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        try MailSetup.Program.allCases.map { (program) throws(KeyringError) in
            let path = try path(program)
            return SetupDocument.Tool(
                program.rawValue, path: path, setup: ["mail", program.rawValue], isUndoneByEntry: true
            ) {
                () throws(KeyringError) in
                try SetupFile(program.rawValue, path, lock: .none, global).present(MailSetup.entries)?
                    .filter { !$0.isEmpty }
            }
        }
    }

    private func file(_ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(program.rawValue, try Self.path(program), lock: .none, global)
    }

    /// The file that the program reads: the first that is there of those it looks for.
    private static func path(
        _ program: MailSetup.Program, _ environment: Environment = .current
    ) throws(KeyringError) -> String {
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "HOME is not set", hint: nil)
        }
        let folder = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        let paths =
            switch program {
            case .msmtp: [home + "/.msmtprc", folder + "/msmtp/config"]
            case .mbsync: [home + "/.mbsyncrc", folder + "/isyncrc"]
            case .neomutt: [folder + "/neomutt/neomuttrc", home + "/.neomutt/neomuttrc", home + "/.neomuttrc"]
            }
        return paths.first { FileAccess.status($0, following: true) != nil } ?? paths[0]
    }
}

extension MailSetup.Program: ExpressibleByArgument {}
