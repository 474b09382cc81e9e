package import KeyfobModel

/// Where a program is to send what it asks for: https, or http on this machine alone.
package struct CredentialURL: Hashable, Sendable {
    /// The address as `--url` takes it.
    package let text: String
    /// The same, as far as it tells accounts apart.
    package let address: ResourceURL

    /// An address in its parts; nil for one to which no token goes, or that means different things to different servers.
    ///
    /// - Parameters:
    ///   - host: With a port where there is one.
    ///   - path: Decoded, without a slash at the beginning.
    package init?(scheme: String, host: String, path: String = "") {
        let components = path.split(separator: "/").map(String.init)
        guard !components.contains("."), !components.contains("..") else { return nil }
        let encoded = components.map { PercentEncoding.encode($0, only: #" ?#\"#) }.joined(separator: "/")
        self.init(scheme: Identifier.folded(scheme), host, encoded.isEmpty ? "" : "/" + encoded)
    }

    /// An address as a program writes it, which counts as https where it names no scheme.
    package init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }
        let hasScheme = text[scheme.endIndex...].hasPrefix("://")
        let rest = hasScheme ? text[scheme.endIndex...].dropFirst(3) : text[...]
        let host = rest.prefix { !"/?#".contains($0) }
        self.init(
            scheme: hasScheme ? Identifier.folded(String(scheme)) : "https", String(host),
            String(rest[host.endIndex...]))
    }

    private init?(scheme: String, _ host: String, _ rest: String) {
        guard let name = try? HostAndPort(Array(host.utf8)[...]).host else { return nil }
        guard scheme == "https" || scheme == "http" && HostAndPort.isLoopback(name) else { return nil }
        text = scheme + "://" + host + rest
        guard let address = try? ResourceURL(parsing: text) else { return nil }
        self.address = address
    }
}
