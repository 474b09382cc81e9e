internal import Keyfob
internal import KeyfobNetwork

/// What a program has in its environment to find its proxy.
struct ProxyVariables {
    private(set) var values: [(name: String, value: String)] = []

    /// The variable with the address of the proxy.
    static let address = "KEYFOB_PROXY"

    /// - Parameters:
    ///   - addresses: Names of variables, each with the host, and perhaps a path, whose address is to be in it.
    ///   - gitHosts: Whose repositories git finds through the proxy.
    init(
        _ gateway: GatewayAddress, addresses: [(name: String, place: String)], gitHosts: [String],
        _ environment: Environment = .current
    ) {
        values.append((Self.address, gateway.text))
        values += addresses.map { ($0.name, gateway.text(for: $0.place)) }
        configureGit(gateway, gitHosts, environment)
        setExceptions(environment)
    }

    /// Configuration of git's, behind what is there (git-config(1), GIT_CONFIG_COUNT): it is asked for no password here, and
    /// takes no other proxy.
    private mutating func configureGit(_ gateway: GatewayAddress, _ hosts: [String], _ environment: Environment) {
        var count = environment["GIT_CONFIG_COUNT"].flatMap(Int.init) ?? 0
        let settings =
            hosts.map { ("url.\(gateway.text(for: $0))/.insteadOf", "https://\($0)/") }
            + [("credential.\(gateway.origin).helper", ""), ("http.\(gateway.origin)/.proxy", "")]
        for (key, value) in settings {
            values += [("GIT_CONFIG_KEY_\(count)", key), ("GIT_CONFIG_VALUE_\(count)", value)]
            count += 1
        }
        values.append(("GIT_CONFIG_COUNT", String(count)))
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
