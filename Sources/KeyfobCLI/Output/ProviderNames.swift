internal import Keyfob

/// How people call the providers of accounts, each looked for once.
final class ProviderNames {
    private let keyring: Keyring?
    private let groups: [AccessGroup]?
    private var known: [String: String?] = [:]

    /// - Parameter keyring: The keyring whose providers are known too; nil for those that are built in.
    init(_ keyring: Keyring?, _ groups: [AccessGroup]?) {
        (self.keyring, self.groups) = (keyring, groups)
    }

    /// The name of the provider that serves an environment; its host where none is known.
    func name(of environment: String) -> String {
        known(environment) ?? EnvironmentAliases.canonicalName(of: environment)
    }

    /// The same; nil where none is known.
    func known(_ environment: String) -> String? {
        if let name = known[environment] { return name }
        let name =
            if let keyring { try? keyring.providers.named(environment, in: groups).name } else {
                Keyring.Providers.builtIn(environment)?.name
            }
        known[environment] = name
        return name
    }
}
