internal import KeyfobModel

/// The address of an endpoint: https, or http on this machine alone (RFC 8252, section 7.3).
///
/// It has no user name and no fragment. Its description leaves out the query, which may hold what others
/// should not read.
package struct EndpointURL: Hashable, Sendable, CustomStringConvertible {
    /// The whole address as it was written.
    package let text: String
    /// The host in small letters, an IPv6 address in its brackets.
    package let host: String
    /// The port, where one is written.
    package let port: Int?
    /// The path, empty or beginning with a slash.
    package let path: String
    /// What stands behind the question mark, encoded.
    package let query: String?
    private let scheme: String

    /// The longest address that is read, in bytes.
    package static let maximumCount = 2_048

    /// Why a text is no endpoint's address; no case holds any of the text.
    package enum Flaw: String, Error, Hashable, Sendable, CustomStringConvertible {
        case tooLong = "the address is longer than 2048 bytes"
        case forbiddenCharacter = "the address holds a character that must be percent-encoded"
        case noScheme = "the address has no scheme, such as https://"
        case insecure = "the address is not https, and not on this machine"
        case credentials = "the address holds a user name or a password"
        case badHost = "the address has no host, or one that cannot be"
        case badPort = "the address's port is not a number from 1 to 65535"
        case fragment = "the address has a fragment"

        package var description: String { rawValue }
    }

    /// The address that `text` is.
    package init(_ text: String) throws(Flaw) {
        guard text.utf8.count <= Self.maximumCount else { throw .tooLong }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) }) else {
            throw .forbiddenCharacter
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        let folded = Identifier.folded(String(text.prefix(8)))
        let isSecure = folded.hasPrefix("https://")
        guard isSecure || folded.hasPrefix("http://") else { throw text.contains("://") ? .insecure : .noScheme }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        do {
            let parts = try HostAndPort(Array(authority.utf8)[...])
            (self.host, self.port) = (parts.host, parts.port)
        } catch {
            switch error {
            case .credentials: throw .credentials
            case .badHost: throw .badHost
            case .badPort: throw .badPort
            }
        }
        guard !host.hasSuffix(".") else { throw .badHost }
        guard isSecure || HostAndPort.isLoopback(host) else { throw .insecure }
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != "?" }
        self.path = String(path)
        self.query = path.endIndex < tail.endIndex ? String(tail[path.endIndex...].dropFirst()) : nil
        self.scheme = isSecure ? "https" : "http"
        self.text = text
    }

    /// Whether an issuer may name this endpoint: one that is https names https alone, also on this machine, where
    /// any program can listen.
    package func mayServe(issuer: String?) -> Bool {
        scheme == "https" || issuer.map { Identifier.folded(String($0.prefix(8))) != "https://" } ?? true
    }

    /// The environment of the accounts of a provider at this address: the host, and the port where it is not the usual one.
    package var environment: String {
        guard let port, port != (scheme == "https" ? 443 : 80) else { return host }
        return "\(host):\(port)"
    }

    /// Whether it is https.
    package var isSecure: Bool { scheme == "https" }

    /// The environment of accounts that are for the resource at this address alone; nil where no such accounts can be.
    package var environmentOfResource: String? {
        query == nil ? (try? ResourceURL(parsing: text))?.environment : nil
    }

    /// Whether somebody who was asked at `other` may name this address, to be asked in its turn: who is out there names nothing
    /// of this machine or of the network that it is in.
    package func mayBeNamed(at other: EndpointURL) -> Bool {
        guard isSecure || !other.isSecure else { return false }
        return environment == other.environment || !isInternal || other.isInternal
    }

    /// Whether the host is this machine, or one that only its own network knows by that name or number.
    private var isInternal: Bool {
        if host.hasPrefix("[") || HostAndPort.isLoopback(host) { return true }
        if Self.internalNames.contains(where: host.hasSuffix) { return true }
        guard host.contains(".") else { return true }
        let numbers = host.split(separator: ".").compactMap { UInt8($0) }
        guard numbers.count == 4 else { return false }
        switch (numbers[0], numbers[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (224..., _):
            return true
        default: return false
        }
    }

    /// The ends of names that each network gives by itself (RFC 6761, 6762 and 8375; ICANN's resolution of 2024 for `internal`).
    private static let internalNames = [".localhost", ".local", ".lan", ".internal", ".home.arpa"]

    /// Whether the address is on the host of another one, or on one below its name.
    package func isBelow(_ other: EndpointURL) -> Bool {
        environment == other.environment || host.hasSuffix("." + other.host) && port == other.port
    }

    /// Whether codes and refresh tokens of an environment may go here: those of Microsoft's clouds stay in their cloud,
    /// whatever a document names.
    package func isOfCloud(_ environment: String) -> Bool {
        !EnvironmentAliases.isMicrosoft(environment) || EnvironmentAliases.areSame(host, environment)
    }

    /// The address with `items` behind what its query has already, encoded.
    package func appending(_ items: [(name: String, value: String)]) -> EndpointURL {
        let pairs = items.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
        return EndpointURL(
            self, query: ([query].compactMap { $0 }.filter { !$0.isEmpty } + pairs).joined(separator: "&"))
    }

    /// The address with another path and without a query.
    func replacingPath(_ path: String) -> EndpointURL { EndpointURL(self, path: path, query: nil) }

    private init(_ other: EndpointURL, path: String? = nil, query: String?) {
        self.scheme = other.scheme
        self.host = other.host
        self.port = other.port
        self.path = path ?? other.path
        self.query = query
        let address = other.scheme + "://" + other.host + (other.port.map { ":\($0)" } ?? "") + self.path
        self.text = address + (query.map { "?" + $0 } ?? "")
    }

    /// The address without its query.
    package var description: String { scheme + "://" + host + (port.map { ":\($0)" } ?? "") + path }
}
