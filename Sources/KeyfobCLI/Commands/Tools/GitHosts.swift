internal import Keyfob
internal import KeyfobModel

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
    static func repositories(of environment: String) -> [String] {
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
