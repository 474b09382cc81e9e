internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

extension Keyring {
    /// OAuth clients that are registered at providers, and their secrets.
    public struct Clients: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Clients {
    /// The longest secret of a client, in bytes.
    public static let secretLimit = 4_096
    /// The longest private key of a client with its certificates, in bytes.
    public static let keyLimit = ClientKey.limit

    /// The clients that there are, by their providers.
    ///
    /// A client belongs to the host of its provider, so those of `microsoft` are also those of every tenant of
    /// Microsoft's.
    ///
    /// - Parameters:
    ///   - provider: The name, issuer or host of a provider; nil for all.
    ///   - groups: The groups to look through; nil for all within reach.
    /// - Throws: `noSuchProvider`, and as ``Keyring/Providers/list(in:)``.
    public func list(
        of provider: String? = nil, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> [RegisteredClient] {
        try withState { state in
            let groups = try state.groups(groups)
            let registry = try keyring.providers.registry(&state, groups)
            let roster = try roster(&state, groups, registry)
            guard let provider else { return roster.clients }
            return roster.clients(at: try registry.required(provider).environment)
        }
    }

    /// Adds a client; the first one of a provider becomes its default.
    ///
    /// - Parameters:
    ///   - client: What is known of it.
    ///   - secret: Its secret, of at most 4096 bytes, or its private key in PEM or JWK, with its certificate where it shows one; nil for a public client. It is kept sealed and
    ///     never shown.
    ///   - provider: The name, issuer or host of its provider.
    ///   - isDefault: Whether it becomes the one to take where nobody names one.
    ///   - replacing: Whether it may take the place of one with the same id.
    ///   - groups: The first is where it goes; nil for `default`, or the only one within reach.
    /// - Throws: `usage` for what no client can have, `damaged` for what is no private key, `noSuchProvider`, `alreadyExists`, and what
    ///   writing can throw.
    @discardableResult
    public func add(
        _ client: ClientRegistration, secret: consuming SecretBytes? = nil, at provider: String,
        isDefault: Bool = false, replacing: Bool = false, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> RegisteredClient {
        if let problem = client.problem { throw KeyringError(.usage, problem) }
        // Nothing stands for no secret: a closure cannot take what it may run twice with.
        var secret = secret.take() ?? SecretBytes(count: 0) { _ in }
        var client = client
        if client.authentication.isByKey { secret = try client.takeKey(secret) }
        guard (secret.count > 0) == (client.authentication != .none) else {
            throw KeyringError(.usage, "a client has a secret exactly where it says who it is by one")
        }
        let limit = client.authentication.isByKey ? ClientKey.limit : Self.secretLimit
        guard secret.count <= limit else {
            throw KeyringError(.limitExceeded, "the secret is longer than \(limit) bytes")
        }
        let note = ChangeNote(keyring.entry("client add"))
        return try withState { state in
            let reach = try state.groups(groups)
            let registry = try keyring.providers.registry(&state, reach)
            let environment = try registry.required(provider).environment
            let place = EnvironmentAliases.canonicalName(of: environment)
            let known = try roster(&state, reach, registry).clients(at: place)
            var target = try state.groupForNewItems(groups)
            if let old = known.first(where: { $0.client.id == client.id }), case .added(let group) = old.origin {
                guard replacing else {
                    throw KeyringError(
                        .alreadyExists, "there is a client '\(client.id)' at \(place) already, in group '\(group)'",
                        advice: .replace)
                }
                target = try state.group(group)
            }
            let becomesDefault = isDefault || !known.contains { $0.isDefault }
            if isDefault {
                for group in reach where group.name != target.name { try forgetDefault(&state, group, at: place, note) }
            }
            try change(&state, [target], note: note) { writers in
                let writer = writers[0]
                try writer.setSetting(RegistrySetting.client(client.id, at: place), to: client.json(secret: secret))
                if secret.count > 0 {
                    _ = try writer.save(clientSecret: secret, clientID: client.id, environment: place)
                } else {
                    try writer.removeClientSecret(clientID: client.id, environment: place)
                }
                if becomesDefault {
                    try writer.setSetting(RegistrySetting.defaultClient(at: place), to: client.id)
                }
                try writer.setSetting(RegistrySetting.clientMethod(client.id, at: place), to: nil)
                // With what is stored of it now it may be taken.
                try writer.forgetRefusals(ofClient: client.id)
            }
            let added = try roster(&state, reach, registry).clients(at: place)
            guard let added = added.first(where: { $0.client.id == client.id }) else {
                throw KeyringError(.fault, "a client was lost")
            }
            return added
        }
    }

    /// Removes a client with its secret, wherever it was added.
    ///
    /// - Parameter provider: The name, issuer or host of its provider, or of one that is not there any more; nil where
    ///   the id says enough.
    /// - Throws: `noSuchClient`, `ambiguous` with the hosts when clients of several providers have the id, `usage` for
    ///   one that the description of its provider names, and what writing can throw.
    public func remove(
        _ id: String, at provider: String? = nil, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) {
        let note = ChangeNote(keyring.entry("client remove"))
        try withState { state in
            let reach = try state.groups(groups)
            let registry = try keyring.providers.registry(&state, reach)
            var found = try roster(&state, reach, registry).clients.filter { $0.client.id == id }
            if let provider {
                let environment = registry.provider(named: provider)?.environment ?? provider
                found = found.filter { EnvironmentAliases.areSame($0.environment, environment) }
            }
            guard let client = found.first else { throw KeyringError.noSuchClient(id) }
            guard found.count == 1 else {
                throw KeyringError(
                    .ambiguous, "clients of several providers are called '\(id)'", advice: .chooseProvider,
                    candidates: found.map { $0.provider ?? $0.environment })
            }
            guard case .added = client.origin else {
                throw KeyringError(
                    .usage, "client '\(id)' stands in the description of provider '\(client.provider ?? "")'",
                    advice: .replaceProvider)
            }
            let name = RegistrySetting.client(id, at: client.environment)
            for group in reach {
                let names = try database.settings(prefixes: [name], in: group.keys).items.map(\.value.name)
                guard names.contains(name) else { continue }
                try change(&state, [group], note: note) { try $0[0].forgetClient(id, at: client.environment) }
            }
        }
    }

    /// Whether a client of an environment was removed from a group, and not added again.
    ///
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func isRemoved(
        _ id: String, at environment: String, in group: AccessGroup
    ) throws(KeyringError) -> Bool {
        try withState { state in
            let name = RegistrySetting.client(id, at: EnvironmentAliases.canonicalName(of: environment))
            return try database.isDeleted(.setting(name), in: try state.group(group).keys)
        }
    }

    /// A client with its secret, for a request to the provider of an environment.
    ///
    /// - Parameters:
    ///   - id: The client id; nil for the default. One that was never added is a public client.
    ///   - environment: The environment of the provider.
    /// - Throws: `noSuchClient` where no id is given and no client is the default, `damaged` where the secret is
    ///   missing, does not open, or is not the one that was added with the client.
    func oauthClient(
        id: String?, environment: String, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> OAuthClient {
        try withState { state in
            let groups = try state.groups(groups)
            return try oauthClient(&state, groups, id: id, environment: environment)
        }
    }

    /// The same for whoever holds the state.
    func oauthClient(
        _ state: inout State, _ groups: [UnlockedVault.Group], id: String?, environment: String
    ) throws -> OAuthClient {
        let place = EnvironmentAliases.canonicalName(of: environment)
        let registry = try keyring.providers.registry(&state, groups)
        let known = try roster(&state, groups, registry).clients(at: place)
        guard let found = known.first(where: { id == nil ? $0.isDefault : $0.client.id == id }) else {
            if let id { return OAuthClient(id: id) }
            throw KeyringError(
                .noSuchClient,
                known.isEmpty
                    ? "there is no client to sign in with at \(place)" : "no client is the default at \(place)",
                advice: known.isEmpty
                    ? .addClient(provider: registry.provider(named: environment)?.name ?? place)
                    : .chooseClientOrDefault,
                candidates: known.map(\.client.id))
        }
        let client = found.client
        guard client.authentication != .none, case .added(let name) = found.origin else {
            return OAuthClient(id: client.id)
        }
        let keys = try state.group(name).keys
        let secret = try database.clientSecret(clientID: client.id, environment: place, in: keys)
        switch consume secret {
        case .some(let secret):
            let setting = RegistrySetting.client(client.id, at: place)
            let added = try database.settings(prefixes: [setting], in: keys).items.first { $0.value.name == setting }
            guard let added, ClientRegistration.isSecret(secret, of: added.value.value) else {
                throw KeyringError(
                    .damaged,
                    "the secret of client '\(client.id)' is not the one that was added with it to group '\(name)'",
                    advice: .addClientSecret)
            }
            let known = try knownMethod(of: client.id, at: place, in: keys)
            return try client.oauthClient(secret).proven(by: known)
        case nil:
            throw KeyringError(
                .damaged, "the secret of client '\(client.id)' is missing from group '\(name)'",
                advice: .addClientSecret)
        }
    }

    /// The clients that there are in `groups`, and their defaults.
    func roster(
        _ state: inout State, _ groups: [UnlockedVault.Group], _ registry: ProviderRegistry
    ) throws -> ClientRoster {
        var stored: [ClientRoster.Stored] = []
        var defaults: [ClientRoster.Default] = []
        let prefixes = [RegistrySetting.clientPrefix, RegistrySetting.defaultClientPrefix]
        for group in groups {
            let found = try database.settings(prefixes: prefixes, in: group.keys)
            state.warn(ofDamage: found.damaged, in: group.name)
            for setting in found.items.map(\.value) {
                if let environment = RegistrySetting.environment(ofDefault: setting.name) {
                    defaults.append(ClientRoster.Default(environment: environment, id: setting.value))
                } else if let (environment, id) = RegistrySetting.client(setting.name),
                    let client = ClientRegistration(id: id, json: setting.value)
                {
                    stored.append(ClientRoster.Stored(client: client, environment: environment, group: group.name))
                } else {
                    state.warn(unknown: "a client", in: group.name)
                }
            }
        }
        return ClientRoster(stored, defaults: defaults, registry: registry)
    }

    /// Which of several clients counts where nobody names one: the default of the account's provider in its group.
    func preferred(
        _ state: inout State, among ids: [String], at environment: String, _ group: UnlockedVault.Group
    ) throws -> String? {
        let roster = try roster(&state, [group], try keyring.providers.registry(&state, [group]))
        let known = roster.clients(at: EnvironmentAliases.canonicalName(of: environment)).first { $0.isDefault }
        return known.flatMap { ids.contains($0.client.id) ? $0.client.id : nil }
    }

    private func forgetDefault(
        _ state: inout State, _ group: UnlockedVault.Group, at environment: String, _ note: ChangeNote
    ) throws {
        let name = RegistrySetting.defaultClient(at: environment)
        guard try !database.settings(prefixes: [name], in: group.keys).items.isEmpty else { return }
        try change(&state, [group], note: note) { try $0[0].setSetting(name, to: nil) }
    }
}

extension GroupWriter {
    /// Removes what is known of a client, its secret, and that it is the default.
    func forgetClient(_ id: String, at environment: String) throws {
        try setSetting(RegistrySetting.client(id, at: environment), to: nil)
        try setSetting(RegistrySetting.clientMethod(id, at: environment), to: nil)
        try removeClientSecret(clientID: id, environment: environment)
        let name = RegistrySetting.defaultClient(at: environment)
        if try setting(name) == id { try setSetting(name, to: nil) }
    }
}

extension KeyringError {
    static func noSuchClient(_ id: String) -> KeyringError {
        KeyringError(.noSuchClient, "there is no client '\(id)'", advice: .listClients)
    }
}
