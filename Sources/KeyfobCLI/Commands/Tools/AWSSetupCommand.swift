internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct AWSSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Add a profile of AWS's whose credentials Keyfob gets.",
        discussion: """
            Writes the profile, with a credential_process that calls 'keyfob helper aws', to the end of ~/.aws/config \
            (AWS_CONFIG_FILE). AWS gives credentials of the role for the token of an account; Keyfob is told to which host \
            the token goes by 'keyfob bind', and the command is printed. A profile of that name which is there stays.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup aws reader --scope api://aws/.default \\
                --role-arn arn:aws:iam::123456789012:role/reader
              keyfob bind --host sts.amazonaws.com ada@contoso.example
              aws s3 ls --profile reader
              keyfob setup aws reader --undo
            """)

    @Argument(help: "What the profile is called.") var profile = "keyfob"

    @Option(
        name: .customLong("role-arn"),
        help: ArgumentHelp("The role: arn:aws:iam::123456789012:role/reader.", valueName: "arn"))
    var role: String?

    @Option(name: .long, help: ArgumentHelp("The region whose service is asked (default: none).", valueName: "region"))
    var region: String?

    @OptionGroup var request: SetupRequestOptions
    @OptionGroup var setup: SetupOptions

    static let tool = "aws"

    func validate() throws {
        guard AWSSetup.isName(profile) else {
            throw ValidationError("a profile's name has letters, digits and characters of _-.@+/")
        }
        guard !setup.undo else { return }
        guard let role, AWSCredentialCommand.isRole(role) else {
            throw ValidationError("--role-arn is missing, or no name like arn:aws:iam::123456789012:role/reader")
        }
        if let region, !AWSCredentialCommand.isRegion(region) {
            throw ValidationError("--region is a name like eu-central-1")
        }
        for word in request.words(setup.global) + [role] where !AWSSetup.isPlain(word) {
            throw ValidationError("AWS's tools take what follows '#' and ';' for a remark; name it without these")
        }
    }

    func add() throws(KeyringError) {
        let file = try Self.file(setup.global)
        let words =
            [try OwnProgram.word(), "helper", "aws", "--role-arn=\(role ?? "")"]
            + (region.map { ["--region=\($0)"] } ?? []) + request.words(setup.global)
        let new = AWSSetup(profile: profile, words: words)
        let command = ["aws", "configure", "set", "profile.\(profile).credential_process", new.command]
        let plan = try file.plan(
            hint: "choose another name, or type \(command.map(ShellWord.quoted).joined(separator: " "))"
        ) { text throws(SetupFlaw) in try new.adding(to: text) }
        guard isNeeded(plan, of: file, orSaying: "\(file.path) has the profile '\(profile)' already") else { return }
        tellPath(words[0])
        tellCredentials()
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            try file.write(plan, entries: [profile], beside: (try? AWSSetup.profiles(in: file.text)) ?? [])
            setup.global.say(
                "added the profile '\(profile)' to \(file.path); '\(Self.undoing(profile))' removes it")
            request.tellMissingAccount(to: "AWS's tools", setup.global)
            let host = "sts.\(region.map { $0 + "." } ?? "")amazonaws.com"
            setup.global.say("say where its token goes: keyfob bind --host \(host) ACCOUNT")
        }
    }

    func undo() throws(KeyringError) {
        let file = try Self.file(setup.global)
        let plan = try file.plan(hint: "take the profile out by hand") { text throws(SetupFlaw) in
            try AWSSetup.removing(profile, from: text)
        }
        guard !plan.edit.isEmpty else { return setup.global.say("\(file.path) has no profile '\(profile)' of setup") }
        try remove(
            "the profile '\(profile)'", plan, from: file, rest: file.entries.filter { $0 != profile },
            isBlank: \.isEmpty)
    }

    /// Tells of keys that AWS's tools find first.
    private func tellCredentials(_ environment: Environment = .current) {
        guard let path = try? Self.path("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment),
            case .bytes(let text, _) = FileAccess.read(path, limit: ForeignFile.limit, following: true),
            AWSSetup.hasCredentials(of: profile, in: text)
        else { return }
        setup.global.say("\(path) has keys of a profile '\(profile)' too, which AWS's tools take in its place")
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        let path = try path("AWS_CONFIG_FILE", "config")
        return [
            SetupDocument.Tool(tool, path: path, isUndoneByEntry: true) { () throws(KeyringError) in
                try file(global).present(AWSSetup.profiles)
            }
        ]
    }

    private static func file(_ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, try path("AWS_CONFIG_FILE", "config"), lock: .none, global)
    }

    private static func path(
        _ variable: String, _ name: String, _ environment: Environment = .current
    ) throws(KeyringError) -> String {
        if let path = environment[variable] { return path }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor \(variable) is set", hint: nil)
        }
        return home + "/.aws/" + name
    }
}
