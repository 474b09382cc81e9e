internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobNetwork
internal import KeyfobOAuth
internal import KeyfobSignIn
internal import KeyfobTerminal

/// A program whose requests get a token on their way, so that it has none itself.
///
/// Two processes stand behind it: one has the keys and speaks to providers alone, the other listens to the program and has no
/// more than the token of a request.
extension ExecCommand {
    /// The rule that a text of `--allow` is.
    static func rule(_ text: String) throws -> GatewayRule {
        do throws(GatewayRule.Flaw) {
            return try GatewayRule(text)
        } catch {
            let reason =
                switch error {
                case .words: Self.form
                case .noMethod(let place):
                    "it names no method; \(Self.form), and with * in the place of GET for every method: "
                        + ShellWord.inMessage("* " + place)
                case .noPlace(let method): "\(ShellWord.inMessage(method)) alone says not where; \(Self.form)"
                case .noPath(let methods, let host):
                    "it names no path; \(ShellWord.inMessage("\(methods) \(host)/*")) is all of that host"
                case .methods: "methods are in capitals, with a comma between two: GET,POST; or * alone for every one"
                case .host(let host):
                    "\(ShellWord.inMessage(host)) is no host; a rule is METHOD HOST/PATH, without https://"
                case .path: "its path is none: it has no query, no space and no '..'"
                case .star(let part): "* stands for a whole part of a path, and \(ShellWord.inMessage(part)) is none"
                }
            throw ValidationError(reason)
        }
    }

    private static let form = "a rule is METHOD HOST/PATH, such as 'GET api.github.com/repos/me/*'"

    /// What makes no sense together with `--proxy`, or without it.
    func validateProxy() throws {
        if allow.isEmpty, !allowHeader.isEmpty {
            throw ValidationError("--allow-header adds to what --allow passes on, so it goes with --allow")
        }
        if let name = allowHeader.first(where: { !HTTPHeader.isName($0) }) {
            throw ValidationError("--allow-header takes the name of a header; \(ShellWord.inMessage(name)) is none")
        }
        if let name = allowHeader.first(where: GatewayHeaders.isDecided) {
            throw ValidationError("--allow-header \(name) changes nothing: the proxy passes it on always, or never")
        }
        if confine, !proxy {
            throw ValidationError("--confine keeps a program from tokens that a proxy adds, so it goes with --proxy")
        }
        if !confine, !write.isEmpty {
            throw ValidationError("--write names what a confined program can change, so it goes with --confine")
        }
        guard proxy else {
            if !allow.isEmpty {
                throw ValidationError("--allow says what goes through a proxy, so it goes with --proxy")
            }
            return
        }
        if file {
            throw ValidationError("--proxy and --file exclude one another: behind the proxy the program has no token")
        }
        if refresh.offline { throw ValidationError("a proxy needs the network; --offline has no meaning") }
        if refresh.forceRefresh || refresh.claims != nil {
            throw ValidationError("--force-refresh and --claims are about one token, and do not go with --proxy")
        }
        if let allowHost = options.allowHost, GatewayRule.host(allowHost[...]) == nil {
            throw ValidationError(
                "--allow-host takes a host without https:// and a path; \(ShellWord.inMessage(allowHost)) is none")
        }
        for variable in env {
            let place = variable.scope ?? ""
            guard let host = GatewayRule.host(place.prefix { $0 != "/" }),
                place.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw ValidationError(
                    "with --proxy, --env gives a variable the address of a host: --env NAME=HOST, or NAME=HOST/PATH")
            }
            guard allow.isEmpty || allow.contains(where: { $0.isAbout(host) }) else {
                throw ValidationError("no --allow is about \(host), which --env \(variable.name) names")
            }
        }
    }

    /// The hosts that the caller names.
    private var namedHosts: [String] {
        let ofVariables = env.compactMap { $0.scope.flatMap { GatewayRule.host($0.prefix { $0 != "/" }) } }
        return [allowedHost].compactMap(\.self) + ofVariables + allow.compactMap(\.host)
    }

    /// The first address that the caller names, with the path that a variable has.
    private var namedPlace: String? {
        allowedHost ?? env.first.flatMap { $0.scope.map { String($0.prefix { $0 != "?" && $0 != "#" }) } }
            ?? namedHosts.first
    }

    /// The host that the caller allows to the account.
    private var allowedHost: String? { options.allowHost.flatMap { GatewayRule.host($0[...]) } }

    /// Runs the program behind a proxy, and ends as it ends.
    func runBehindProxy(_ call: ProgramCall) throws {
        CallingTool.keep()
        let relay = try SignalRelay()
        var confinement = try confine ? ProgramConfinement(global, program: call.name, writing: write) : nil
        try confinement?.requirePossible(relay)
        let holder = try TokenHolder(relay) { (line) throws(KeyringError) in
            try grant(over: MessageLine(descriptor: line.descriptor), to: call)
        }
        ProgramCall.close(global.descriptorsOfSecrets)
        let found = try ProxyAccount(text: Self.awaitReady(holder, relay))
        let hosts = found.hosts
        let socket = holder.socket
        let door = try Self.door()
        let gate = try TokenHolder(relay) { (line) throws(KeyringError) in
            try pass(door, hosts, holder: MessageLine(descriptor: socket), line)
        }
        // From here on only the gate can ask.
        _ = consume holder
        _ = try Self.awaitReady(gate, relay)
        if let keys = confinement?.keys {
            // A passphrase takes its time, and meanwhile files come.
            confinement = try ProgramConfinement(global, program: call.name, writing: write, keys: keys)
        }
        let known = hosts.filter { host in allow.isEmpty || allow.contains { $0.isAbout(host) } }
        let variables = ProxyVariables(
            door.address, addresses: env.map { ($0.name, $0.scope ?? "") },
            gitHosts: known + namedHosts.filter { !known.contains($0) }, logins: found.logins)
        var environment = ProgramCall.Variables()
        for (name, value) in variables.values { Array(value.utf8).withBytes { environment.set(name, $0) } }
        let process = try relay.fork()
        if process == 0 {
            confinement?.run(call, with: environment)
            call.become(with: environment)
        }
        attend(process, gate, door, relay, of: call).mirror()
    }

    /// How the gate ends that nobody has come to.
    private static let unused: CInt = 3

    /// Tells that a program had no use of the proxy; of one that could not be started there is nothing to tell.
    private func tellUnused(_ call: ProgramCall, _ end: SignalRelay.End) {
        if case .status(126...127) = end { return }
        // As a confined program does.
        StandardError.goToEnd()
        global.say(
            "keyfob: warning: \(ShellWord.inMessage(call.name)) sent nothing through the proxy, and no token was used; if it "
                + "takes no proxy from http_proxy, --env NAME=HOST puts the address into a variable that it reads")
    }

    /// What a process says when it is ready; ends as it does where it ends before.
    private static func awaitReady(
        _ holder: borrowing TokenHolder, _ relay: borrowing SignalRelay
    ) throws(KeyringError) -> String {
        if case .ended(let end) = relay.attend(holder.process, reading: holder.socket) { end.mirror() }
        guard let message = MessageLine(descriptor: holder.socket).receive(), message.kind == .ready else {
            // It has been stopped on its way.
            if case .ended(let end) = relay.attend(holder.process) { end.mirror() }
            throw KeyringError(.fault, "there is no proxy, and no reason")
        }
        return message.text
    }

    private static func door() throws(KeyringError) -> GatewayDoor {
        do {
            return try GatewayDoor()
        } catch {
            throw KeyringError(.unavailable, "\(error)")
        }
    }

    /// Waits for the program; then the proxy goes.
    ///
    /// Where the gate goes first, its port stays taken: nobody else gets what the program sends there.
    private func attend(
        _ process: pid_t, _ gate: borrowing TokenHolder, _ door: GatewayDoor, _ relay: borrowing SignalRelay,
        of call: ProgramCall
    ) -> SignalRelay.End {
        var isThere = true
        while true {
            switch relay.attend(process, reading: isThere ? gate.socket : door.descriptor) {
            case .ended(let end):
                gate.dismiss()
                if case .ended(.status(Self.unused)) = relay.attend(gate.process) { tellUnused(call, end) }
                return end
            case .readable where !isThere: door.sendAway()
            case .readable:
                isThere = false
                global.say("keyfob: warning: the proxy has ended; the program has no access any more")
            case .timeout: continue
            }
        }
    }

    /// Passes requests on: what the process does that listens.
    private func pass(
        _ door: GatewayDoor, _ hosts: [String], holder: MessageLine, _ line: TokenLine
    ) throws(KeyringError) {
        TokenHolder.retire()
        let judge = ProxyJudge(
            rules: allow, headers: allowHeader, hosts: hosts + [allowedHost].compactMap(\.self), holder: holder)
        let configuration = NetworkConfiguration.ofThisMachine(
            certificateFile: networkOptions.caFile, environment: Environment.current.variables)
        let gateway: Gateway
        do {
            gateway = try Gateway(
                door, configuration, judge: judge.judge, isGranted: judge.mayFollow,
                tell: { global.say("keyfob: warning: not passed on: \($0)") },
                advise: { global.say("keyfob: warning: \($0)") })
        } catch {
            switch error {
            case .noLibrary:
                throw KeyringError(.unavailable, "libcurl (7.87 or later) is not installed", advice: .installLibcurl)
            case .noOwners:
                throw KeyringError(
                    .unavailable,
                    "neither the kernel nor /proc/net/tcp tells whose a connection is: there is no proxy")
            case .configuration(let flaw): throw KeyringError(.configuration, "\(flaw)")
            }
        }
        Confinement(reading: [], writing: nil, allowsSockets: true).apply()
        try MessageLine(descriptor: line.descriptor).send(.ready)
        gateway.run(until: line.descriptor)
        if !gateway.hasBeenUsed { Glibc.exit(Self.unused) }
    }

    /// Grants tokens of one account, each for the address that is named: what the process does that has the keys.
    private func grant(over line: MessageLine, to call: ProgramCall) throws(KeyringError) {
        let keyring = try global.unlockedKeyring(reaching: .network)
        defer { global.tellWarnings(of: keyring) }
        var options = options(for: nil, of: call)
        options.allowHost = allowedHost
        if options.url == nil, let place = namedPlace { options.url = "https://" + place }
        var acquisition = AttendedAcquisition(
            keyring: keyring, options: options, refresh: refresh, networkOptions: networkOptions, global: global)
        acquisition.takesProofs = true
        acquisition.program = CallingTool.shortName(ofProgram: call.name)
        let network = try networkOptions.network()
        let (account, group, tenant): (Account, AccessGroup, String?)
        if options.url == nil {
            let (candidate, bound) = try acquisition.account()
            (account, group, tenant) = (candidate.account, candidate.group, bound)
        } else {
            // Whoever has no token learns that before the program runs.
            let answer = try acquisition.token(minimumValidity: validity.minValidity)
            acquisition.remember(answer.found)
            (account, group) = (answer.found.account, answer.found.group)
            tenant = answer.found.credential.realm.isEmpty ? nil : answer.found.credential.realm
        }
        let found = try ProxyAccount(account, hosts: keyring.providers.namedHosts(of: account.id, in: group))
        global.tellWarnings(of: keyring)
        TokenHolder.retire()
        try line.send(.ready, found.text)
        options.account = account.id.description
        options.tenant = options.tenant ?? (options.authority == nil ? tenant : nil)
        var grants = ProxyGrants(acquisition: acquisition, options: options, group: group)
        while let message = line.receive() {
            let asked = ProxyQuestion(text: message.text)
            do throws(KeyringError) {
                if message.kind == .advise {
                    try line.send(.failed, try grants.advice(message.text) ?? "")
                    continue
                }
                if message.kind == .whether {
                    try grants.requireDestination(asked.address)
                    try line.send(.goes)
                    continue
                }
                let answer = try grants.token(
                    for: asked.address, isAgain: message.kind == .askAgain, claims: asked.claims,
                    minimumValidity: validity.minValidity)
                let proved = try ProvedToken(
                    answer, for: asked.method, asked.address, nonce: asked.nonce, network: network)
                let file = networkOptions.caFile == nil ? try keyring.providers.certificateFile(for: answer.found) : nil
                try line.send(.granted, [file ?? "", proved.proof ?? ""].joined(separator: "\n"), proved.token)
                acquisition.noteUse(answer.found, at: asked.address)
            } catch {
                let text = "\(error.message)\(error.candidateText)\(error.hint.map { "; \($0)" } ?? "")"
                try line.send(error.code == .hostNotAllowed ? .refused : .failed, text)
            }
            global.tellWarnings(of: keyring)
        }
    }
}
