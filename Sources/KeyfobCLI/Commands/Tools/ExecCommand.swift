internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobNetwork
internal import KeyfobSodium

struct ExecCommand: ParsableCommand {
    static let name = "exec"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Run a program that gets tokens.",
        discussion: """
            With --env the program has a token in a variable: the token that 'keyfob token' with the same options \
            prints, for the scopes behind the name if there are some. Every program that you run can read that \
            variable. It is not renewed. The program takes keyfob's place: process, terminal, signals and exit status \
            are its own.

            With --file the token is in a file for you alone, in $XDG_RUNTIME_DIR/keyfob, whose path is in \
            BEARER_TOKEN_FILE (WLCG bearer token discovery, so BEARER_TOKEN is not set). As long as the program runs, the \
            file gets a new token before the old one expires, and keyfob passes signals on; then the file goes, and \
            keyfob ends as the program has ended. It holds the vault's key until then, whatever 'keyfob lock' says.

            With --proxy the program never has a token. KEYFOB_PROXY is an address on this machine, for programs of \
            yours alone; behind it the program writes host and path in the place of https://, as in \
            $KEYFOB_PROXY/api.github.com/user, and keyfob sends that on over https with the token of one account. It goes \
            to the hosts to which 'keyfob request' sends it, and with --allow to what one of the rules has: \
            'METHOD[,METHOD] HOST/PATH', GET with HEAD, * alone for every method, *.HOST for all hosts below it, * for a part \
            of the path or at its end for all that follow; HOST/* is all of a host. With it, only headers that are known to leave \
            method and address alone go along, and those of --allow-header. All else is answered 403 and told. git takes \
            the proxy for https://HOST/ of those hosts by itself, and asks no credential helper, for whatever host; --env \
            NAME=HOST puts an address into a variable. Programs that know no other address than https, such as gh, do not work so. \
            The proxy ends with the program; until then it holds the vault's key, whatever 'keyfob lock' says.

            With --proxy alone, the program can still run 'keyfob token' as you can. --confine is a wall: the program sees \
            no vault, key file, agent, desktop keyring, process or credential of yours, connects to no unix socket, and \
            can change only the folder it starts in, those of --write, and an empty /tmp and ~/.cache of its own. Key and \
            recovery files are found where this call or KEYFOB_KEY_FILE names them, and directly in your home and \
            ~/.config; keep no others elsewhere. Variables whose names say token, secret, password, key or credentials \
            do not reach it. Whatever it has started ends with it. The network stays as it is. That takes namespaces of \
            the system; where it gives none, nothing is started.

            Otherwise the program has the token, and so has whatever it sends it to: --url chooses among the accounts \
            whose tokens go to that host, and does not keep the program from sending it elsewhere. The account is chosen \
            for the program by its name (--tool), as 'keyfob which' tells.

            Ends with 127 where there is no such program and with 126 where it cannot be started, before a token is asked \
            for, and else as 'keyfob token' where there is no token.

            Example:
              keyfob exec --account ada@contoso.example --env GH_TOKEN -- gh repo list
              keyfob exec --env GRAPH='https://graph.microsoft.com/.default' -- ./report
              keyfob exec --proxy --account ada \\
                --allow 'GET api.github.com/repos/me/*' -- ./agent
              keyfob exec --proxy --confine --account ada -- bash
              keyfob exec --file --scope storage.read: -- rucio download data:set
            """)

    /// `NAME` or `NAME=SCOPE`.
    struct Variable: ExpressibleByArgument {
        let name: String
        /// Several scopes are parted by spaces; nil for those of the request.
        let scope: String?

        init?(argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts[0].wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else { return nil }
            name = parts[0]
            scope = parts.count > 1 ? parts[1] : nil
        }
    }

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A variable for a token, of these scopes; with --proxy, NAME=HOST for an address. Repeatable.",
            valueName: "NAME=SCOPE"))
    var env: [Variable] = []

    @Flag(name: .long, help: "Keep a token in a file while the program runs; BEARER_TOKEN_FILE is its path.")
    var file = false

    @Flag(name: .long, help: "Add the token to the program's requests; KEYFOB_PROXY is where it sends them.")
    var proxy = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --proxy: pass on these requests alone, such as 'GET api.github.com/repos/me/*'; repeatable.",
            valueName: "METHOD HOST/PATH"),
        transform: ExecCommand.rule)
    var allow: [GatewayRule] = []

    @Option(
        name: .long,
        help: ArgumentHelp("With --allow: pass on this header too; repeatable.", valueName: "NAME"))
    var allowHeader: [String] = []

    @Flag(
        name: .long,
        help: "With --proxy: keep the program from the vault, the agent and everything else that has tokens of yours.")
    var confine = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --confine: let the program change this folder, besides the one it starts in; repeatable.",
            valueName: "DIR"))
    var write: [String] = []

    @OptionGroup var options: RequestOptions
    @OptionGroup var validity: ValidityOptions
    @OptionGroup var refresh: RefreshOptions
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    @Argument(parsing: .postTerminator, help: "Behind '--', the program and its arguments.")
    var program: [String] = []

    /// Where the path of the file is, and what programs would take before it.
    private static let (fileVariable, tokenVariable) = ("BEARER_TOKEN_FILE", "BEARER_TOKEN")
    /// The longest variable that the system gives a program, with its end.
    private static let variableLimit = 131_072

    func validate() throws {
        if program.isEmpty { throw ValidationError("name the program, behind '--'") }
        if env.isEmpty, !file, !proxy {
            throw ValidationError("say how the program gets the token: --env NAME, --file or --proxy")
        }
        try validateProxy()
        var names: Set<String> = file ? [Self.fileVariable, Self.tokenVariable] : proxy ? [ProxyVariables.address] : []
        for variable in env {
            if variable.name == "PATH" {
                throw ValidationError("PATH says where programs are, and a token cannot take its place; name another")
            }
            guard names.insert(variable.name).inserted else {
                throw ValidationError("\(variable.name) is set twice, by --env or by \(proxy ? "--proxy" : "--file")")
            }
            if let scope = variable.scope, !Identifier.isAcceptable(scope) {
                throw ValidationError("the scope of --env \(variable.name) is blank or holds control characters")
            }
        }
        if global.json { throw ValidationError("what is printed is the program's; --json has no meaning") }
    }

    func run() throws {
        let call = ProgramCall(lastWords: program.count)
        try call.requireRunnable()
        if proxy { return try runBehindProxy(call) }
        let runtime = try file ? Self.runtime(of: global.location()) : nil
        CallingTool.keep()
        let relay = try SignalRelay()
        let holder = try TokenHolder(relay) { (line) throws(KeyringError) in try hold(line, for: call) }
        ProgramCall.close(global.descriptorsOfSecrets)
        if case .ended(let end) = relay.attend(holder.process, reading: holder.socket) { end.mirror() }
        guard case .tokens(let tokens, let expiry) = holder.receive() else {
            // It has been stopped on its way.
            if case .ended(let end) = relay.attend(holder.process) { end.mirror() }
            throw KeyringError(.fault, "there is no token, and no reason")
        }
        var variables = ProgramCall.Variables()
        let texts = Self.texts(in: tokens)
        for (variable, range) in zip(env, texts.dropFirst(file ? 1 : 0)) {
            tokens.withBytes { variables.set(variable.name, $0.extracting(range)) }
        }
        guard let runtime else {
            // The program shall not have a child that it does not know.
            holder.dismiss()
            _ = relay.attend(holder.process)
            relay.restore()
            call.become(with: variables)
        }
        let kept: BearerTokenFile
        do {
            kept = try BearerTokenFile.make(tokens.extracting(texts[0]), runtime: runtime)
        } catch {
            throw KeyringError(error)
        }
        Array(kept.path.utf8).withBytes { variables.set(Self.fileVariable, $0) }
        let process = try relay.fork()
        if process == 0 { call.become(with: variables, without: [Self.tokenVariable]) }
        variables.wipe()
        keepFresh(kept, until: expiry, holder, for: process, relay).mirror()
    }

    private static func runtime(of location: KeyringLocation) throws(KeyringError) -> String {
        guard let runtime = location.runtime else {
            throw KeyringError(
                .configuration,
                "there is no folder for the file, one that ends with the login: XDG_RUNTIME_DIR is not set",
                hint: "use --env, or set it to a folder that is yours alone")
        }
        do {
            try RuntimeFolder(path: runtime).prepare()
        } catch {
            throw KeyringError(ofRuntimeFolder: error)
        }
        return runtime
    }

    /// Where each token is in what came from the holder.
    private static func texts(in tokens: borrowing SecretBytes) -> [Range<Int>] {
        tokens.withBytes { bytes in
            var (start, texts) = (0, [Range<Int>]())
            for end in 0..<bytes.byteCount where bytes.byte(at: end) == 0 {
                texts.append(start..<end)
                start = end + 1
            }
            return texts
        }
    }

    /// Replaces the token in the file as long as the program runs, and removes the file then.
    ///
    /// - Returns: How the program ended.
    private func keepFresh(
        _ file: consuming BearerTokenFile, until expiry: Timestamp?, _ holder: borrowing TokenHolder,
        for process: pid_t, _ relay: borrowing SignalRelay
    ) -> SignalRelay.End {
        let clock = WallClock.system
        var renewal = TokenRenewal(minimumValidity: validity.minValidity)
        renewal.isGiven(expiry, now: clock.now)
        var isHeld = true
        while true {
            if renewal.isDue(clock.now) { holder.ask() }
            let seconds = renewal.seconds(from: clock.now)
            switch relay.attend(
                process, reading: isHeld ? holder.socket : -1, milliseconds: seconds.map { CInt($0) * 1_000 } ?? -1)
            {
            case .ended(let end): return end
            case .timeout: continue
            case .readable:
                switch holder.receive() {
                case .tokens(let tokens, let expiry):
                    do {
                        try file.replace(with: tokens.extracting(0..<tokens.count - 1))
                        renewal.isGiven(expiry, now: clock.now)
                    } catch {
                        global.say("keyfob: warning: \(file.path) keeps the old token: \(KeyringError(error).message)")
                        renewal.isRefused(now: clock.now)
                    }
                case .refused: renewal.isRefused(now: clock.now)
                case .ended:
                    isHeld = false
                    renewal.isGiven(nil, now: clock.now)
                    global.say("keyfob: warning: the token in \(file.path) is not renewed any more")
                }
            }
        }
    }

    /// Gets the tokens, and others for the file when they are asked for: what the holder does.
    private func hold(_ line: TokenLine, for call: ProgramCall) throws(KeyringError) {
        let keyring = try global.unlockedKeyring(reaching: refresh.offline ? .files() : .network)
        defer { global.tellWarnings(of: keyring) }
        var (acquisitions, tokens) = ([AttendedAcquisition](), [TokenBox]())
        for variable in (file ? [nil] : []) + env.map(Variable?.some) {
            var acquisition = AttendedAcquisition(
                keyring: keyring, options: options(for: variable, of: call), refresh: refresh,
                networkOptions: networkOptions, global: global)
            acquisition.program = CallingTool.shortName(ofProgram: call.name)
            let answer = try acquisition.token(minimumValidity: validity.minValidity)
            try answer.requirePrintable()
            if let variable, variable.name.utf8.count + answer.secret.count + 2 > Self.variableLimit {
                throw KeyringError(
                    .limitExceeded, "the token of \(answer.found.account.name) does not fit into a variable",
                    hint: "hand it over with --file")
            }
            acquisitions.append(acquisition)
            tokens.append(TokenBox(answer))
        }
        global.tellWarnings(of: keyring)
        if file { TokenHolder.retire() }
        try line.send(tokens)
        for (acquisition, token) in zip(acquisitions, tokens) {
            acquisition.noteUse(token.found)
            acquisition.remember(token.found)
        }
        var (current, told) = (tokens[0].found, "")
        tokens = []
        while line.isAsked() {
            do throws(KeyringError) {
                let answer = try acquisitions[0].successor(of: current)
                try answer.requirePrintable()
                (current, told) = (answer.found, "")
                try line.send([TokenBox(answer)])
                acquisitions[0].noteUse(current)
            } catch {
                if error.message != told {
                    global.say("keyfob: warning: no new token for \(call.name) yet: \(error.message)")
                }
                told = error.message
                try line.refuse()
            }
            global.tellWarnings(of: keyring)
        }
    }

    /// What is asked for: by the program, unless somebody says by which.
    func options(for variable: Variable?, of call: ProgramCall) -> RequestOptions {
        var options = options
        if options.tool == nil { options.tool = CallingTool.name(ofProgram: call.name) }
        if let scope = variable?.scope { (options.scope, options.resource) = ([scope], nil) }
        return options
    }
}
