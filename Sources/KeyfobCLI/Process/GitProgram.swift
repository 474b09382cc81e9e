internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSodium

/// The git that is installed here, asked what it does.
struct GitProgram {
    private let environment: Environment

    /// Nil where none is installed.
    init?(_ environment: Environment = .current) {
        guard SearchPath.program("git", environment) != nil else { return nil }
        self.environment = environment
    }

    /// Its credential helpers, where it is called from; nil where it does not tell.
    func chain() -> GitHelperChain? {
        guard let output = run(["git"] + GitHelperChain.arguments, "") else { return nil }
        // It ends with 1 where there are no such lines.
        guard output.end == .status(0) || output.end == .status(1) else { return nil }
        return GitHelperChain(output.bytes.withBytes { [UInt8]($0) })
    }

    /// Whose credential git takes for an address.
    enum Answer {
        /// Keyfob's.
        case keyfobs
        /// Another one, or none, although Keyfob has one.
        case another
        /// Keyfob has none.
        case none
    }

    /// Has git fill in a credential, as for a request, and looks whose it is.
    func answer(at address: String) -> Answer {
        guard let own = FileAccess.link("/proc/self/exe") else { return .none }
        let scheme = address.prefix { $0 != ":" }
        let question = "protocol=\(scheme)\nhost=\(address.dropFirst(scheme.count + 3))\n"
        guard let given = secret([own] + ToolCall.git.words + ["get"], question) else { return .none }
        guard let taken = secret(["git", "credential", "fill"], question) else { return .another }
        return taken.isEqual(to: given) ? .keyfobs : .another
    }

    private func secret(_ words: [String], _ question: String) -> SecretBytes? {
        guard let output = run(words, question) else { return nil }
        guard output.end == .status(0), var request = try? GitCredentialRequest(reading: output.bytes) else {
            return nil
        }
        return request.secret.take()
    }

    private func run(_ words: [String], _ input: String) -> QuietProgram.Output? {
        // An empty one is no program, and comes before what else git would ask by.
        QuietProgram.output(
            of: words, reading: input, environment, ["GIT_ASKPASS": "", "GIT_TERMINAL_PROMPT": "0"])
    }
}

/// The hosts for which git is to have Keyfob's tokens.
enum GitHosts {
    /// Those of the accounts, and those that are bound to one.
    static func all(of keyring: Keyring, in groups: [AccessGroup]?) throws(KeyringError) -> [String] {
        let environments = Set(try keyring.accounts.list(in: groups).map(\.account.id.environment))
        var hosts = Set(environments.flatMap(repositories))
        for binding in try keyring.bindings.list(in: groups) where binding.target != .nobody {
            switch binding.subject {
            case .host(let host): hosts.insert(host)
            case .url(let url): hosts.insert(url.host)
            case .directory, .tool: break
            }
        }
        return hosts.filter { isHost($0) || $0.hasPrefix("*.") && isHost(String($0.dropFirst(2))) }.sorted()
    }

    /// Whether a text is a host, so that it can stand in git's configuration.
    static func isHost(_ text: String) -> Bool { (try? HostAndPort(Array(text.utf8)[...])) != nil }

    /// Where the tokens of a provider's accounts go that are for git; `*` stands for one label.
    private static func repositories(of environment: String) -> [String] {
        let services = BuiltInHosts.apiHosts(of: environment).map(\.text)
        // Who has its own name there is where its accounts are, unless it is built in and no forge.
        let isForge = services.isEmpty || ["github.com", "gitlab.com"].contains(environment)
        return (isForge ? [environment] : [])
            + services.filter { ["dev.azure.com", "*.visualstudio.com"].contains($0) }
    }

    /// How git calls what is at a host: a token goes by https, and by http on this machine alone.
    static func addresses(of host: String) -> [String] {
        let name = (try? HostAndPort(Array(host.utf8)[...]))?.host
        let isHere = name.map(HostAndPort.isLoopback) ?? false
        return (isHere ? ["https", "http"] : ["https"]).map { "\($0)://\(host)" }
    }
}

extension GitHelperChain {
    /// What other helpers do with the tokens for some addresses, a line of text for each.
    func others(at addresses: [String]) -> [(line: Line, text: String, addresses: [String])] {
        var found: [(line: Line, text: String, addresses: [String])] = []
        for address in addresses {
            for line in helpers(at: address) where !line.isOwn {
                if let index = found.firstIndex(where: { $0.line == line }) {
                    found[index].addresses.append(address)
                } else {
                    let what =
                        line.keeping.map { "is told Keyfob's tokens, and \($0)" } ?? "may answer in Keyfob's place"
                    found.append((line, "the helper '\(line.value)' (\(line.place)) \(what)", [address]))
                }
            }
        }
        return found
    }
}

extension Finding {
    /// What git does with the tokens that Keyfob gives it; nothing where it does not ask Keyfob.
    static func git(_ keyring: Keyring, _ groups: [AccessGroup]?) throws(KeyringError) -> [Finding] {
        guard let chain = GitProgram()?.chain(), chain.lines.contains(where: \.isOwn) else { return [] }
        let addresses = try GitHosts.all(of: keyring, in: groups).flatMap(GitHosts.addresses)
        var findings = chain.others(at: addresses).map { other in
            let hint =
                other.line.isOfRepository
                ? other.addresses.map { address in
                    let name = ShellWord.quoted("credential.\(address).helper")
                    return "git config --add \(name) '' && git config --add \(name) keyfob"
                }.joined(separator: " && ")
                : "keyfob setup git"
            return Finding(
                "git", .warning, "at \(Quantity.list(other.addresses)) \(other.text)",
                hint: "'\(hint)' takes it out of the way there")
        }
        let lost = addresses.filter { address in !chain.helpers(at: address).contains(where: \.isOwn) }
        if !lost.isEmpty {
            findings.append(
                Finding(
                    "git", .warning, "at \(Quantity.list(lost)) git does not ask Keyfob",
                    hint: "'keyfob setup git' lets it ask"))
        }
        if findings.isEmpty, !addresses.isEmpty {
            findings.append(Finding("git", .ok, "it asks Keyfob and nobody else at \(Quantity.list(addresses))"))
        }
        return findings
    }
}
