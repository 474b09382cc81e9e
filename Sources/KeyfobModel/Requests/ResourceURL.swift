/// The address of what a token is for, as far as it tells accounts apart: host, port and path.
///
/// Scheme, user, query and fragment are not kept. The host is in small letters; a port that is the
/// scheme's own is dropped.
public struct ResourceURL: Hashable, Sendable {
    /// The host, with `:port` where the port is not the scheme's own: `git.example`, `[::1]:8443`.
    public let host: String
    /// The components of the path: `["contoso", "app"]`.
    public let path: [String]

    /// An address that is known to be well formed.
    public init(host: String, path: [String] = []) {
        self.host = Identifier.folded(host)
        self.path = path
    }

    /// The host of an address alone; nil for what is none.
    package init?(hostOf address: String) {
        guard let whole = try? ResourceURL(parsing: address) else { return nil }
        self.init(host: whole.host)
    }

    /// Whoever owns what the address names: the first component of the path.
    public var owner: String? { path.first }
}

// A resource whose accounts are for it alone: their environment is host and path, where a provider's is a host.
extension ResourceURL {
    /// The resource that an environment is; nil for one that is a host.
    package init?(environment: String) {
        guard environment.utf8.contains(UInt8(ascii: "/")), let url = try? ResourceURL(parsing: environment) else {
            return nil
        }
        self = url
    }

    /// The environment of accounts that are for this resource alone; nil where the two would not be told apart, as an `@` parts
    /// an account's id from its environment.
    package var environment: String? {
        let text = host + "/" + path.joined(separator: "/")
        return text.utf8.contains(UInt8(ascii: "@")) || ResourceURL(environment: text) != self ? nil : text
    }

    /// The host of an environment.
    package static func host(ofEnvironment environment: String) -> String {
        String(environment.prefix { $0 != "/" })
    }
}

extension ResourceURL: CustomStringConvertible {
    /// Host and path: `git.example/contoso/app`.
    public var description: String { ([host] + path).joined(separator: "/") }
}
