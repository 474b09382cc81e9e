internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Identity providers, and what they publish of themselves.
    public struct Providers: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// What removing a provider did.
    public struct ProviderRemoval: Hashable, Sendable {
        /// The provider.
        public let provider: IdentityProvider
        /// How many clients went with it: where no other provider serves their host.
        public let clients: Int
        /// How many accounts within reach have no provider any more.
        public let orphanedAccounts: Int
    }
}

extension Keyring.Providers {
    /// The providers that are built in, and those that were added to the groups.
    ///
    /// One that somebody with a group's key added does not take the place of one that the owner added.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach. Of two added ones with the same name
    ///   that of the earlier group counts.
    /// - Throws: as ``Keyring/Accounts/list(in:)``. An added one that makes no sense is passed over and told by ``Keyring/takeWarnings()``.
    public func list(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [IdentityProvider] {
        try withState { state in try registry(&state, state.groups(groups)).providers }
    }

    /// The provider that `text` names: by its name, its issuer, or the host under which its accounts are kept.
    ///
    /// Any name of Microsoft's hosts will do, and an authority, such as `https://login.microsoftonline.com/<tenant>` with or
    /// without `/v2.0`, gives Microsoft for that tenant, or a provider of its host for that policy.
    ///
    /// - Throws: `noSuchProvider`, and as ``list(in:)``.
    public func named(_ text: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> IdentityProvider {
        try withState { state in
            try registry(&state, state.groups(groups)).required(text)
        }
    }

    /// The built-in provider that `text` names, as ``named(_:in:)`` has it; nil where none is built in.
    public static func builtIn(_ text: String) -> IdentityProvider? { ProviderRegistry().provider(named: text) }

    /// Adds the provider that a document describes (`Schemas/provider.schema.json`).
    ///
    /// - Parameters:
    ///   - document: The JSON text, at most 64 KiB.
    ///   - replacing: Whether it may take the place of an added one with the same name.
    ///   - groups: The first is where it goes, unless it replaces one that was added to another of them; nil for
    ///     `default`, or the only one within reach.
    /// - Throws: `damaged`, `limitExceeded` or `newerVersion` for a document that is no such description,
    ///   `alreadyExists` for a name or a host that another provider has, and what writing can throw.
    @discardableResult
    public func add(
        _ document: [UInt8], replacing: Bool = false, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> IdentityProvider {
        try add(try ProviderDocument.read(document), replacing: replacing, groups)
    }

    /// Adds an OpenID provider of which nothing is known but its issuer.
    ///
    /// The network is not asked: the rest is discovered at sign-in.
    ///
    /// - Throws: `usage` for an issuer that is not https, nor http on this machine, or other text that will not do;
    ///   and as ``add(_:replacing:in:)``.
    @discardableResult
    public func add(
        _ new: NewProvider, replacing: Bool = false, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> IdentityProvider {
        try add(try new.description(), replacing: replacing, groups)
    }

    /// Removes a provider that was added; accounts stay.
    ///
    /// - Parameter isDryRun: Whether only to say what that would do.
    /// - Throws: `usage` for a built-in one, `noSuchProvider`, and what writing can throw.
    public func remove(
        _ name: String, in groups: [AccessGroup]? = nil, isDryRun: Bool = false
    ) throws(KeyringError) -> Keyring.ProviderRemoval {
        let name = Identifier.folded(name)
        return try withState { state in
            let reach = try state.groups(groups)
            let before = try registry(&state, reach)
            guard let provider = before.providers.first(where: { $0.name == name }) else {
                throw KeyringError.noSuchProvider(name)
            }
            guard case .added(let group) = provider.origin else {
                // One of that name that does not count can be swept away.
                let swept = try reach.filter { group in
                    try database.setting(RegistrySetting.provider(name), in: group.keys) != nil
                }
                for group in swept where !isDryRun {
                    try change(&state, group, as: "provider remove") {
                        try $0.setSetting(RegistrySetting.provider(name), to: nil)
                    }
                }
                guard swept.isEmpty else {
                    return Keyring.ProviderRemoval(provider: provider, clients: 0, orphanedAccounts: 0)
                }
                throw KeyringError(.usage, "provider '\(name)' is built in and cannot be removed")
            }
            let setting = RegistrySetting.provider(name)
            let clients = RegistrySetting.clients(at: provider.environment)
            let added = try addedProviders(&state, reach).filter { $0 != provider }
            let isServed =
                ProviderRegistry(added: added).provider(environment: provider.environment, tenant: nil) != nil
            let place = try state.group(group)
            let names =
                isServed ? [] : try database.settings(prefixes: [clients], in: place.keys).items.map(\.value.name)
            if !isDryRun {
                try change(&state, place, as: "provider remove") { writer in
                    try writer.setSetting(setting, to: nil)
                    for client in names.compactMap({ RegistrySetting.client($0) }) {
                        try writer.forgetClient(client.id, at: client.environment)
                    }
                }
            }
            var orphans = 0
            if !isServed {
                for group in try state.groups(nil) {
                    orphans += try database.accounts(in: group.keys).items.count {
                        provider.serves($0.value.id.environment)
                    }
                }
            }
            return Keyring.ProviderRemoval(provider: provider, clients: names.count, orphanedAccounts: orphans)
        }
    }

    /// Gives a provider that was added another name; its accounts and clients, which belong to its host, stay as they are.
    ///
    /// - Throws: `usage` for a built-in one, one that somebody with a group's key added, or a name that will not do;
    ///   `noSuchProvider`, `alreadyExists`, and what writing can throw.
    @discardableResult
    public func rename(
        _ name: String, to newName: String, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> IdentityProvider {
        let name = Identifier.folded(name)
        return try withState { state in
            let providers = try registry(&state, state.groups(groups)).providers
            guard let old = providers.first(where: { $0.name == name }) else {
                throw KeyringError.noSuchProvider(name, among: providers.map(\.name))
            }
            guard case .added(let place) = old.origin else {
                throw KeyringError(.usage, "provider '\(name)' is built in and keeps its name")
            }
            guard old.writer != .group else {
                throw KeyringError(
                    .usage,
                    "a key of group '\(place)' added provider '\(name)', and a rename would make it the owner's",
                    advice: .replaceProvider)
            }
            var description = old.description
            description.name = newName
            if let problem = ProviderRules.problem(of: description) { throw KeyringError(.usage, problem) }
            let others = providers.filter { $0 != old }
            guard !others.contains(where: { $0.name == newName }) || BuiltInProviders.named(newName) != nil else {
                throw KeyringError(.alreadyExists, "there is a provider '\(newName)' already", advice: .nameProvider)
            }
            if let clash = ProviderRules.clash(of: description, among: others) {
                throw KeyringError(.alreadyExists, clash, advice: .nameProvider)
            }
            let group = try state.group(place)
            guard newName != name else { return old }
            let text = String(decoding: description.json, as: UTF8.self)
            try change(&state, group, as: "provider rename") { writer in
                try writer.setSetting(RegistrySetting.provider(newName), to: text)
                try writer.setSetting(RegistrySetting.provider(name), to: nil)
            }
            return IdentityProvider(description, .added(place), by: group.keys.ownWriter)
        }
    }

    /// The provider that serves an account's environment, for its tenant or policy where it has such; nil where there is
    /// none.
    func description(
        forEnvironment environment: String, tenant: String? = nil, policy: String? = nil,
        in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> ProviderDescription? {
        try withState { state in
            let registry = try registry(&state, state.groups(groups))
            return registry.provider(environment: environment, tenant: tenant, policy: policy)?.description
        }
    }

    /// The providers that there are for whoever works with `groups`.
    func registry(_ state: inout State, _ groups: [UnlockedVault.Group]) throws -> ProviderRegistry {
        ProviderRegistry(added: try addedProviders(&state, groups))
    }

    /// The providers in `groups`, those that could be added.
    private func addedProviders(
        _ state: inout State, _ groups: [UnlockedVault.Group]
    ) throws -> [IdentityProvider] {
        var (owners, others) = ([] as [IdentityProvider], [] as [IdentityProvider])
        for group in groups {
            let found = try database.settings(prefixes: [RegistrySetting.providerPrefix], in: group.keys)
            state.warn(ofDamage: found.damaged, in: group.name)
            for item in found.items {
                guard var description = Self.description(in: item.value) else {
                    state.warn(unknown: "a provider", in: group.name)
                    continue
                }
                if let clash = ProviderRules.clash(of: description, among: ProviderRegistry.builtIn) {
                    state.warn(
                        Warning(.foreignDecision, "a provider of group '\(group.name)' was passed over: \(clash)"))
                    continue
                }
                if item.value.writer == .group, description.certificateFile != nil {
                    // A path is about this machine: nobody else says what is read here, and whom it makes trusted.
                    description.certificateFile = nil
                    state.warn(
                        Warning(
                            .foreignDecision,
                            "the file of certificates of provider '\(description.name)' does not count: a key of group "
                                + "'\(group.name)' named it", advice: .replaceProvider))
                }
                let provider = IdentityProvider(description, .added(group.name), by: item.value.writer)
                if provider.writer == .owner { owners.append(provider) } else { others.append(provider) }
            }
        }
        // Nobody with a group's key alone speaks for a provider that the owner added.
        return owners
            + others.filter { other in
                let isTaken = owners.contains { $0.name == other.name }
                return !isTaken && ProviderRules.clash(of: other.description, among: owners) == nil
            }
    }

    /// What a setting says of a provider; nil where it makes no sense.
    private static func description(in setting: Setting) -> ProviderDescription? {
        guard let description = try? ProviderDocument.read(Array(setting.value.utf8)),
            setting.name == RegistrySetting.provider(description.name)
        else { return nil }
        return description
    }

    /// Which hosts added providers name, for the choice of an account.
    static let providerHosts: TokenSearch.ProviderHosts = { setting in
        guard let description = Keyring.Providers.description(in: setting),
            ProviderRules.clash(of: description, among: ProviderRegistry.builtIn) == nil
        else { return nil }
        return (description.environment, description.apiHosts)
    }

    /// Adds what is described, in the place of one that has its name where it may.
    func add(
        _ description: ProviderDescription, replacing: Bool, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> IdentityProvider {
        try withState { state in
            var target = try state.groupForNewItems(groups)
            let providers = try registry(&state, state.groups(groups)).providers
            if let old = providers.first(where: { $0.name == description.name }),
                case .added(let group) = old.origin
            {
                guard replacing else {
                    throw KeyringError(
                        .alreadyExists, "there is a provider '\(old.name)' already, in group '\(group)'",
                        advice: .renameOrReplace)
                }
                target = try state.group(group)
            }
            if let clash = ProviderRules.clash(of: description, among: providers) {
                throw KeyringError(.alreadyExists, clash, advice: .separateEnvironments)
            }
            let text = String(decoding: description.json, as: UTF8.self)
            try change(&state, target, as: "provider add") {
                try $0.setSetting(RegistrySetting.provider(description.name), to: text)
            }
            return IdentityProvider(description, .added(target.name), by: target.keys.ownWriter)
        }
    }
}

extension ProviderRegistry {
    /// The provider that a person means.
    func required(_ text: String) throws(KeyringError) -> IdentityProvider {
        guard let provider = provider(named: text) else {
            throw KeyringError.noSuchProvider(text, among: providers.map(\.name))
        }
        return provider
    }
}

extension KeyringError {
    /// That no provider has a name, with those of `known` that are near it.
    static func noSuchProvider(_ text: String, among known: [String] = []) -> KeyringError {
        // An address may have a query, which is nobody's business.
        let name = String(text.prefix { $0 != "?" && $0 != "#" })
        return KeyringError(
            .noSuchProvider, "there is no provider '\(name)'\(NearestWord.suggestion(name, among: known))",
            advice: .listProviders)
    }
}

extension Keyring.Providers {
    /// The known host from which one differs by a letter, so that it is most likely mistyped; nil where there is none.
    ///
    /// Known are the hosts of the providers, and of the accounts where the vault is a file: the desktop's keyring would be asked
    /// for each of them.
    ///
    /// - Throws: as ``list(in:)``.
    public func likelyHost(insteadOf host: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> String? {
        let wanted = Identifier.folded(host)
        let providers = try list(in: groups).map { Identifier.folded($0.environment) }
        guard !providers.contains(where: { $0 == wanted || EnvironmentAliases.areSame($0, wanted) }) else { return nil }
        // What cannot be listed is no reason not to store a token.
        let accounts = keyring.database.place == .embedded ? (try? keyring.accounts.list(in: groups)) ?? [] : []
        let known = Set(providers + accounts.map { Identifier.folded($0.account.id.environment) })
        return known.contains(wanted) ? nil : NearestWord.byOneLetter(wanted, among: known)
    }
}
