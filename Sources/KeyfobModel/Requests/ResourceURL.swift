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

    /// Whoever owns what the address names: the first component of the path.
    public var owner: String? { path.first }
}

extension ResourceURL: CustomStringConvertible {
    /// Host and path: `git.example/contoso/app`.
    public var description: String { ([host] + path).joined(separator: "/") }
}
