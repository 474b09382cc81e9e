internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup

struct DockerSetupCommand: ToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Let docker, podman and skopeo ask Keyfob for some registries.",
        discussion: """
            Names Keyfob in credHelpers of ~/.docker/config.json (DOCKER_CONFIG) for registries: those of --host, else those \
            of the providers of your accounts (ghcr.io, registry.gitlab.com), for which the vault is opened. Other helpers \
            that a registry has stay. docker finds docker-credential-keyfob by PATH alone. Docker Hub, docker.io, has two entries: \
            docker asks for it by https://index.docker.io/v1/, podman and skopeo by its name. Then the helper is asked as docker asks \
            it, and only where it answers is docker said to ask Keyfob. What podman and skopeo have in a file of their own, which \
            comes before docker's, is told.

            \(SetupOptions.discussion)

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup docker
              keyfob setup docker --host ghcr.io --host registry.contoso.example
              keyfob setup docker --undo
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("A registry, as docker calls it; repeatable.", valueName: "host"))
    var host: [String] = []

    @OptionGroup var setup: SetupOptions

    static let tool = ToolCall.docker.tool

    func validate() throws {
        for host in host where !Identifier.isAcceptable(host) || host.contains(where: \.isWhitespace) {
            throw ValidationError("--host is blank or holds white space")
        }
    }

    func add() throws(KeyringError) {
        guard case .named = try ToolCall.docker.way() else {
            throw KeyringError(
                .configuration, "docker finds \(ToolCall.docker.program) by PATH alone, and it is not there",
                hint: "put the folder where it is into PATH, or link keyfob by that name in one that is")
        }
        let file = try Self.file(setup.global)
        // What is no configuration is said before the vault is opened.
        _ = try plan(file, [])
        let hosts = try hosts(file)
        let plan = try plan(file, hosts)
        tellOthers(hosts)
        guard isNeeded(plan, of: file, orSaying: "there is nothing to add to \(file.path)") else { return }
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            let present = Self.hosts(in: file.text)
            let written = Self.hosts(in: plan.edit.applied(to: file.text)).filter { !present.contains($0) }
            try file.write(plan, entries: written, beside: present)
            tell(written)
        }
    }

    /// Has the helper answer as docker starts it, and says what came of it.
    private func tell(_ hosts: [String]) {
        let undoing = "'\(Self.undoing())' removes the entries"
        let answered = hosts.filter { host in
            guard let output = QuietProgram.output(of: [ToolCall.docker.program, "get"], reading: host, .current) else {
                return false
            }
            return output.end == .status(0)
        }
        if !answered.isEmpty {
            setup.global.say("docker now asks Keyfob (tested for \(Quantity.list(answered))); \(undoing)")
        }
        let rest = hosts.filter { !answered.contains($0) }
        guard let first = rest.first else { return }
        setup.global.say(
            "docker will ask Keyfob for \(Quantity.list(rest)), and gets no answer yet: 'keyfob which --tool "
                + "docker --url https://\(first)' says why\(answered.isEmpty ? "; \(undoing)" : "")")
    }

    /// Tells which files of podman's and skopeo's come before docker's for some hosts.
    private func tellOthers(_ hosts: [String], _ environment: Environment = .current) {
        let home = environment["HOME"] ?? ""
        let paths = [
            environment["REGISTRY_AUTH_FILE"], environment["XDG_RUNTIME_DIR"].map { $0 + "/containers/auth.json" },
            (environment["XDG_CONFIG_HOME"] ?? home + "/.config") + "/containers/auth.json",
        ]
        for path in paths.compactMap(\.self) {
            guard let file = try? ForeignFile(path), let text = file.content else { continue }
            let taken = DockerSetup.taken(hosts, by: text)
            guard !taken.isEmpty else { continue }
            setup.global.say(
                "podman and skopeo take what \(path) has for \(Quantity.list(taken)) before they ask Keyfob: "
                    + "'skopeo logout --authfile \(ShellWord.quoted(path)) \(taken[0])' takes it out")
        }
    }

    func undo() throws(KeyringError) {
        let file = try Self.file(setup.global)
        let hosts = host.isEmpty ? file.entries : host.flatMap(DockerSetup.names)
        let plan = try file.plan(hint: "take them out by hand") { text throws(SetupFlaw) in
            try DockerSetup.removing(hosts, from: text, former: file.former)
        }
        guard !plan.edit.isEmpty else {
            let there = Self.hosts(in: file.text)
            let hint =
                there.isEmpty
                ? "" : "; for \(Quantity.list(there)) Keyfob is named all the same, and --host takes that out"
            return setup.global.say("\(file.path) has no entries of setup\(host.isEmpty ? "" : " for these")\(hint)")
        }
        try remove(
            "setup's entries", plan, from: file, rest: file.entries.filter { !hosts.contains($0) },
            isBlank: DockerSetup.isBlank)
    }

    private func plan(_ file: SetupFile, _ hosts: [String]) throws(KeyringError) -> SetupPlan {
        try file.plan(hint: "add them to credHelpers by hand") { text throws(SetupFlaw) in
            try DockerSetup.adding(hosts, to: text)
        }
    }

    private static func hosts(in text: [UInt8]) -> [String] { (try? DockerSetup.hosts(in: text)) ?? [] }

    /// The registries that are meant.
    private func hosts(_ file: SetupFile) throws(KeyringError) -> [String] {
        guard host.isEmpty else { return host.flatMap(DockerSetup.names) }
        let keyring: Keyring
        do throws(KeyringError) {
            // The helper is started later, which may ask a provider.
            keyring = try setup.global.unlockedKeyring(reaching: .everything)
        } catch  where error.code == .locked || error.code == .noVault {
            throw KeyringError(error.code, error.message, hint: "or name the registries with --host")
        }
        defer { setup.global.tellWarnings(of: keyring) }
        let groups = try setup.global.groups()
        let environments = Set(try keyring.accounts.list(in: groups).map(\.account.id.environment))
        let hosts = environments.flatMap(BuiltInHosts.registries).sorted()
        let bound = try keyring.bindings.list(in: groups).compactMap { binding in
            if case .host(let host) = binding.subject, !hosts.contains(host) { host } else { nil }
        }
        if !bound.isEmpty {
            setup.global.say(
                "bound to accounts, and not taken for registries unless --host names them: \(Quantity.list(bound))")
        }
        guard !hosts.isEmpty else {
            throw KeyringError(
                .notOffered, "none of the accounts is of a provider with a registry",
                hint: "name the registries with --host")
        }
        return hosts
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        [
            SetupDocument.Tool(tool, path: try path()) { () throws(KeyringError) in
                try file(global).present(DockerSetup.hosts)
            }
        ]
    }

    private static func file(_ global: GlobalOptions) throws(KeyringError) -> SetupFile {
        try SetupFile(tool, try path(), lock: .none, global)
    }

    private static func path(_ environment: Environment = .current) throws(KeyringError) -> String {
        if let folder = environment["DOCKER_CONFIG"] { return folder + "/config.json" }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor DOCKER_CONFIG is set", hint: nil)
        }
        return home + "/.docker/config.json"
    }
}
