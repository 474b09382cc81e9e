internal import KeyfobModel
internal import KeyfobOAuth

/// Which proxy a request goes through, as the environment says.
///
/// `https_proxy`, else `all_proxy`, in small letters before capitals; `no_proxy` names hosts that are reached
/// directly. `http_proxy` is not read: plain HTTP goes to this machine alone, and never through a proxy.
struct ProxySettings: Sendable {
    /// A proxy.
    struct Proxy: Hashable, Sendable {
        /// How it is spoken to.
        enum Kind: String, Hashable, Sendable {
            case http
            case socks5
        }

        let kind: Kind
        let host: String
        let port: Int
        /// For `Proxy-Authorization: Basic`.
        var user: String?
        var password: String?
    }

    /// The proxy for hosts that are not excepted.
    let proxy: Proxy?
    private let exceptions: [Exception]

    /// A host that is reached directly: with its subdomains, on one port or on all.
    private struct Exception: Sendable {
        let host: String
        let port: Int?
        let isSubdomainsOnly: Bool
    }

    /// Reads the variables.
    init(environment: [String: String]) throws(NetworkError) {
        let variable = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].first { environment[$0] != nil }
        if let variable, let text = environment[variable], !text.isEmpty {
            do {
                self.proxy = try Self.proxy(text)
            } catch {
                throw .proxy(variable: variable, error)
            }
        } else {
            self.proxy = nil
        }
        let names = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        self.exceptions = names.split { $0 == "," || $0 == " " || $0 == "\t" }.map { Self.exception(String($0)) }
    }

    /// The proxy for an address, or nil where it is reached directly.
    func proxy(for url: EndpointURL) -> Proxy? {
        guard let proxy, !HostAndPort.isLoopback(url.host) else { return nil }
        let host = Self.bare(url.host)
        let isExcepted = exceptions.contains { exception in
            if let port = exception.port, port != url.port ?? 443 { return false }
            if exception.host == "*" || host.hasSuffix("." + exception.host) { return true }
            return host == exception.host && !exception.isSubdomainsOnly
        }
        return isExcepted ? nil : proxy
    }

    /// `[scheme://][user[:password]@]host[:port][/]`.
    private static func proxy(_ text: String) throws(NetworkError.ProxyFlaw) -> Proxy {
        var rest = Substring(text)
        var kind = Proxy.Kind.http
        if let mark = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).first,
            mark.endIndex < text.endIndex
        {
            switch Identifier.folded(String(mark)) {
            case "http": kind = .http
            case "socks5", "socks5h": kind = .socks5
            default: throw .unsupportedScheme
            }
            rest = text[mark.endIndex...].dropFirst(3)
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var credentials: (user: String, password: String)?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = parts.first.flatMap(decoded), let password = decoded(parts.count > 1 ? parts[1] : "")
            else {
                throw .malformed
            }
            guard kind == .http else { throw .unsupportedCredentials }
            credentials = (user, password)
            rest = rest[rest.index(after: at)...]
        }
        // The rules for a host are the same as for an endpoint's.
        guard !rest.isEmpty, !rest.contains("/"), !rest.contains("?"),
            let address = try? EndpointURL("https://" + String(rest))
        else { throw .malformed }
        return Proxy(
            kind: kind, host: bare(address.host), port: address.port ?? (kind == .http ? 80 : 1_080),
            user: credentials?.user, password: credentials?.password)
    }

    private static func exception(_ text: String) -> Exception {
        var host = Identifier.folded(text)
        var port: Int?
        // A bare IPv6 address has more than one colon and no port.
        if let colon = host.lastIndex(of: ":"), host.hasPrefix("[") || host.firstIndex(of: ":") == colon,
            let number = Int(host[host.index(after: colon)...])
        {
            port = number
            host = String(host[..<colon])
        }
        if host.hasPrefix("*.") { host = String(host.dropFirst()) }
        let isSubdomainsOnly = host.hasPrefix(".")
        return Exception(
            host: bare(isSubdomainsOnly ? String(host.dropFirst()) : host), port: port,
            isSubdomainsOnly: isSubdomainsOnly)
    }

    /// A host without the brackets of an IPv6 address.
    private static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// What a percent-encoded text means, or nil where it is badly encoded or holds control characters.
    private static func decoded(_ text: Substring) -> String? {
        guard let bytes = PercentEncoding.decode(text.utf8) else { return nil }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
