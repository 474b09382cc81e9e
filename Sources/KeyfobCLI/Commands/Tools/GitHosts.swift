internal import Keyfob
internal import KeyfobModel

/// The hosts for which git is to have Keyfob's tokens.
enum GitHosts {
    /// Those of the accounts, and those that are bound to one.
    static func all(of keyring: Keyring, in groups: [AccessGroup]?) throws(KeyringError) -> [String] {
        var hosts: Set<String> = []
        var seen: Set<[String]> = []
        for candidate in try keyring.accounts.list(in: groups) {
            let (id, group) = (candidate.account.id, candidate.group)
            guard seen.insert([id.environment, group.name]).inserted else { continue }
            hosts.formUnion(try of(id, in: group, keyring))
        }
        for binding in try keyring.bindings.list(in: groups) where binding.target != .nobody {
            switch binding.subject {
            case .host(let host): hosts.insert(host)
            case .url(let url): hosts.insert(url.host)
            case .directory, .tool: break
            }
        }
        return hosts.filter { isHost($0) || $0.hasPrefix("*.") && isHost(String($0.dropFirst(2))) }.sorted()
    }

    /// Where git may bring the tokens of an account: of an added provider to each of its hosts.
    static func of(
        _ account: AccountID, in group: AccessGroup, _ keyring: Keyring
    ) throws(KeyringError) -> [String] {
        let own = repositories(of: account.environment)
        guard BuiltInHosts.apiHosts(of: account.environment).isEmpty else { return own }
        return own + (try keyring.providers.namedHosts(of: account, in: group).filter { !own.contains($0) })
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
