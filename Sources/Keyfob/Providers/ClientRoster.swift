internal import KeyfobModel

/// The clients that there are for whoever works with some groups.
struct ClientRoster {
    /// Those added, and those in the descriptions of providers, by environment and id.
    let clients: [RegisteredClient]

    /// A client in a group.
    struct Stored {
        let client: ClientRegistration
        let environment: String
        let group: AccessGroup
    }

    /// A group's word for the client to take at an environment.
    struct Default {
        let environment: String
        let id: String
    }

    /// Of clients with the same id at one place the first counts, and so does the first default that is there.
    init(_ stored: [Stored], defaults: [Default], registry: ProviderRegistry) {
        var found: [(client: ClientRegistration, environment: String, origin: RegisteredClient.Origin)] = []
        func add(_ client: ClientRegistration, _ environment: String, _ origin: RegisteredClient.Origin) {
            let environment = EnvironmentAliases.canonicalName(of: environment)
            guard !found.contains(where: { $0.client.id == client.id && $0.environment == environment }) else { return }
            found.append((client, environment, origin))
        }
        for item in stored { add(item.client, item.environment, .added(item.group)) }
        let own = found
        for provider in registry.providers {
            for id in provider.clientIDs { add(ClientRegistration(id: id), provider.environment, .description) }
        }
        func isDefault(_ id: String, _ environment: String) -> Bool {
            let ids = found.filter { $0.environment == environment }.map(\.client.id)
            let named = defaults.first { $0.environment == environment && ids.contains($0.id) }?.id
            let only = own.filter { $0.environment == environment }
            return id == named ?? (only.count == 1 ? only.first?.client.id : only.isEmpty ? ids.first : nil)
        }
        clients = found.map { item in
            RegisteredClient(
                client: item.client, environment: item.environment,
                provider: registry.provider(environment: item.environment, tenant: nil)?.name, origin: item.origin,
                isDefault: isDefault(item.client.id, item.environment))
        }
        .sorted { ($0.environment, $0.client.id) < ($1.environment, $1.client.id) }
    }

    /// Those of an environment, by whatever name.
    func clients(at environment: String) -> [RegisteredClient] {
        clients.filter { EnvironmentAliases.areSame($0.environment, environment) }
    }
}
