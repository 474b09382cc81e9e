internal import Keyfob
internal import KeyfobModel
internal import KeyfobNetwork

/// What a program has in its environment to find its proxy.
struct ProxyVariables {
    private(set) var values: [(name: String, value: String)] = []

    /// The variable with the address of the proxy.
    static let address = "KEYFOB_PROXY"

    /// - Parameters:
    ///   - addresses: Names of variables, each with the host, and perhaps a path, whose address is to be in it.
    ///   - gitHosts: Whose repositories git finds through the proxy.
    ///   - logins: What the account is called in the addresses of repositories.
    init(
        _ gateway: GatewayAddress, addresses: [(name: String, place: String)], gitHosts: [String], logins: [String],
        _ environment: Environment = .current
    ) {
        values.append((Self.address, gateway.text))
        values += addresses.map { ($0.name, gateway.text(for: $0.place)) }
        configureGit(gateway, gitHosts, logins, environment)
        setExceptions(environment)
    }

    /// Configuration of git's, behind what is there (git-config(1), GIT_CONFIG_COUNT): it takes no other proxy, and asks nobody
    /// for a password, since whoever gives out tokens would give one to the program.
    private mutating func configureGit(
        _ gateway: GatewayAddress, _ hosts: [String], _ logins: [String], _ environment: Environment
    ) {
        // As git has it, which takes no other number.
        var count = environment["GIT_CONFIG_COUNT"].flatMap(Int32.init).map { max(0, Int($0)) } ?? 0
        let addresses = hosts.flatMap { host in
            Self.authorities(of: host, logins).map { ("url.\(gateway.text(for: host))/.insteadOf", "https://\($0)/") }
        }
        // An empty helper takes back those before it, for whatever host they are: it has to be the last.
        let (helper, none) = ("credential.helper", "")
        for (key, value) in addresses + [("http.\(gateway.origin)/.proxy", ""), (helper, none)] {
            values += [("GIT_CONFIG_KEY_\(count)", key), ("GIT_CONFIG_VALUE_\(count)", value)]
            count += 1
        }
        values.append(("GIT_CONFIG_COUNT", String(count)))
        // What stands there counts after the others: 'git -c', where git has started keyfob.
        if let parameters = environment["GIT_CONFIG_PARAMETERS"] {
            values.append(("GIT_CONFIG_PARAMETERS", "\(parameters) '\(helper)=\(none)'"))
        }
    }

    /// How a host stands in addresses that git asks: alone, with the port that it has anyway, and with the account's names.
    private static func authorities(of host: String, _ logins: [String]) -> [String] {
        let hasPort = host.last != "]" && host.contains(":")
        let places = hasPort ? [host] : [host, host + ":443"]
        return places.flatMap { place in [place] + logins.map { PercentEncoding.encode($0) + "@" + place } }
    }

    /// Keeps requests to this machine from a proxy that the environment names.
    private mutating func setExceptions(_ environment: Environment) {
        guard ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].contains(where: { environment[$0] != nil }) else {
            return
        }
        for (name, other) in [("no_proxy", "NO_PROXY"), ("NO_PROXY", "no_proxy")] {
            let hosts = environment[name] ?? environment[other]
            values.append((name, ([hosts, "127.0.0.1"].compactMap(\.self)).joined(separator: ",")))
        }
    }
}
