internal import KeyfobLookup
internal import KeyfobModel

/// Under which names providers and clients are kept as settings of a group.
///
/// Clients belong to an environment, not to a provider's name: so each stands for all that serve it, and what
/// belongs to one host never goes to another because a name has changed its meaning.
enum RegistrySetting {
    /// `provider:<name>`, whose value is the description.
    static let providerPrefix = TokenSearch.providerPrefix
    /// `client:<environment>:<client id>`, whose value is what is known of it.
    static let clientPrefix = "client:"
    /// `default client:<environment>`, whose value is a client id.
    static let defaultClientPrefix = "default client:"
    /// `client method:<environment>:<client id>`, whose value is how the provider has let the client say who it is.
    static let clientMethodPrefix = "client method:"
    /// `discovery of <issuer>`, whose value is when a discovery document was read, and what was used of it.
    static let discoveryPrefix = "discovery of "

    /// Whether an item says where tokens are sent, or with which client's secret: a backup has it, but no bundle from
    /// elsewhere may bring it.
    static func isPart(_ key: ItemKey) -> Bool {
        switch key.kind {
        case .setting: prefixes.contains { key.parts.first?.hasPrefix($0) ?? false }
        case .clientSecret: true
        default: false
        }
    }

    private static let prefixes = [
        providerPrefix, clientPrefix, defaultClientPrefix, clientMethodPrefix, discoveryPrefix,
    ]

    static func provider(_ name: String) -> String { providerPrefix + name }

    static func discovery(of issuer: String) -> String { discoveryPrefix + issuer }

    static func client(_ id: String, at environment: String) -> String { clients(at: environment) + id }

    static func clientMethod(_ id: String, at environment: String) -> String {
        clientMethodPrefix + escaped(environment) + ":" + id
    }

    /// How the names of all clients of an environment begin.
    static func clients(at environment: String) -> String { clientPrefix + escaped(environment) + ":" }

    static func defaultClient(at environment: String) -> String { defaultClientPrefix + escaped(environment) }

    /// Environment and client id in the name of a setting; nil where it makes no sense.
    static func client(_ name: String) -> (environment: String, id: String)? {
        guard name.hasPrefix(clientPrefix) else { return nil }
        let rest = name.dropFirst(clientPrefix.count)
        guard let colon = rest.firstIndex(of: ":") else { return nil }
        let environment = unescaped(String(rest[..<colon]))
        let id = String(rest[rest.index(after: colon)...])
        guard !id.isEmpty, client(id, at: environment) == name else { return nil }
        return (environment, id)
    }

    /// The environment in the name of a default; nil where it makes no sense.
    static func environment(ofDefault name: String) -> String? {
        guard name.hasPrefix(defaultClientPrefix) else { return nil }
        let environment = unescaped(String(name.dropFirst(defaultClientPrefix.count)))
        return defaultClient(at: environment) == name ? environment : nil
    }

    private static func escaped(_ environment: String) -> String {
        PercentEncoding.encode(environment, only: ":")
    }

    private static func unescaped(_ text: String) -> String {
        PercentEncoding.decode(text.utf8).map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}
