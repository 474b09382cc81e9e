internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobTerminal

struct InjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inject", abstract: "Put tokens into a text that refers to them.",
        discussion: """
            In the template, keyfob://ACCOUNT/SCOPE stands for the token that 'keyfob token --account ACCOUNT --scope SCOPE' \
            prints. Both parts are percent-encoded, as in keyfob://ada@contoso.example/https%3A%2F%2Fgraph.microsoft.com\
            %2F.default: letters, digits and -._~ stand as they are, and in the account @ : + as well; the reference ends \
            before anything else. An empty account is the one that is chosen, or that of --account; an empty scope is \
            --scope's; several scopes are parted by %20.

            Whoever has written the template says whose tokens go into it, and whoever reads the result has them: look \
            through one that is not yours. The file is for you alone, and whole or not there at all; it is not renewed.

            Ends with 65 for a template that cannot be read, whose line is named, and else as 'keyfob token'.

            Example:
              echo 'machine api.contoso.example password keyfob://ada/repo' > netrc.template
              keyfob inject -i netrc.template -o ~/.netrc
              keyfob inject -i config.template | ssh host 'umask 077; cat > config'
            """)

    @Option(
        name: [.short, .long], help: ArgumentHelp("The template; standard input unless named.", valueName: "file"))
    var input = "-"

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to make; standard output unless named.", valueName: "file"))
    var output = "-"

    @Flag(name: .long, help: "Replace the file if it exists.") var force = false
    @OptionGroup var options: RequestOptions
    @OptionGroup var validity: ValidityOptions
    @OptionGroup var refresh: RefreshOptions
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if global.json { throw ValidationError("the result has the template's form; --json has no meaning") }
        if output.isEmpty || input.isEmpty { throw ValidationError("the name of a file is empty") }
    }

    private static let existsHint = "choose another name, or use --force"
    private var name: String { input == "-" ? "standard input" : input }

    func run() throws {
        if output == "-" {
            try StandardOutput.requireWritable()
        } else if !force {
            try OutputFile.requireAbsent(output, hint: Self.existsHint)
        }
        let text = try SecretInput.template(input, limit: TokenTemplate.maximumCount)
        let template: TokenTemplate
        do {
            template = try TokenTemplate(text)
        } catch {
            throw KeyringError(.damaged, "\(name), line \(error.line): \(error)")
        }
        let keyring = try global.unlockedKeyring(reaching: refresh.offline ? .files(writing: file) : .network)
        defer { global.tellWarnings(of: keyring) }
        var tokens: [TokenBox] = []
        for (reference, line) in template.references {
            do throws(KeyringError) {
                tokens.append(try token(reference, keyring))
            } catch {
                throw error.saying("\(name), line \(line): \(error.message)", advice: error.advice)
            }
        }
        guard let file else {
            return try write(template, text, tokens) { (piece) throws(KeyringError) in
                try StandardOutput.write(bytes: piece)
            }
        }
        DeferredSignals.begin()
        defer { DeferredSignals.end() }
        let made = try OutputFile(file, replacing: force, hint: Self.existsHint)
        try write(template, text, tokens) { (piece) throws(KeyringError) in try made.write(piece) }
        try made.commit()
        var names: [String] = []
        for token in tokens where !names.contains(token.found.account.name) { names.append(token.found.account.name) }
        let whose = names.isEmpty ? "no token" : "tokens of \(Quantity.list(names))"
        global.say("wrote \(file), with \(whose)")
    }

    /// The file to make; nil for standard output.
    private var file: String? { output == "-" ? nil : output }

    private func token(
        _ reference: TokenTemplate.Reference, _ keyring: Keyring
    ) throws(KeyringError) -> TokenBox {
        var options = options
        if let account = reference.account { options.account = account }
        if let scope = reference.scope { (options.scope, options.resource) = ([scope], nil) }
        var acquisition = AttendedAcquisition(
            keyring: keyring, options: options, refresh: refresh, networkOptions: networkOptions, global: global)
        let answer = try acquisition.token(minimumValidity: validity.minValidity)
        try answer.requirePrintable()
        // What a template names nobody has typed.
        if reference.account == nil { acquisition.remember(answer.found) }
        acquisition.noteUse(answer.found)
        return TokenBox(answer)
    }

    private func write(
        _ template: TokenTemplate, _ text: [UInt8], _ tokens: [TokenBox],
        to write: (RawSpan) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        for piece in template.pieces {
            switch piece {
            case .text(let range): try Array(text[range]).withBytes(write)
            case .token(let index): try tokens[index].secret.withBytes(write)
            }
        }
    }
}
