/// What a token is for, where one sign-in gets tokens for several services, as Microsoft's do: each scope begins with
/// the resource's name.
public struct APIResource: Hashable, Sendable {
    /// The name that is asked for: `https://graph.microsoft.com`.
    public let name: String
    /// Other names of the same resource, which stand in tokens that other programs asked for.
    public let aliases: [String]
    /// Whether scopes that name no resource are its own.
    public let isImplied: Bool

    init(_ name: String, aliases: [String] = [], isImplied: Bool = false) {
        self.name = name
        self.aliases = aliases
        self.isImplied = isImplied
    }

    /// The scope that asks for whatever was consented to.
    public var defaultScope: ScopeSet { [name + "/.default"] }

    /// Whether a token with these scopes is for it; one of which no scope is known may be.
    public func isMeant(by scopes: ScopeSet) -> Bool {
        let folded = scopes.scopes.map(Identifier.folded)
        if isImplied, !folded.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }) { return true }
        return folded.isEmpty
            || ([name] + aliases).contains { name in
                let prefix = Identifier.folded(name) + "/"
                return folded.contains { $0.hasPrefix(prefix) }
            }
    }
}

extension TokenRequest {
    /// What the address says that the token is for, where no scope does.
    ///
    /// - Parameter environment: Of the account whose token it is to be.
    package func resource(at environment: String) -> APIResource? {
        guard scopes.isEmpty, let host = context.url?.host else { return nil }
        return BuiltInHosts.resource(of: host, at: environment)
    }
}
