internal import ArgumentParser
internal import Keyfob

/// The names that a vault holds, for a shell to offer: of one that opens without asking anybody, else none.
struct CompletionValues {
    /// What an argument names.
    enum Kind {
        case account, group, provider, client, wellKnownClient, scope, slot, tenant, device, undoEntry

        /// - Parameters:
        ///   - argument: The argument, by its name or its place.
        ///   - line: The command whose argument it is.
        init?(_ argument: CommandDescription.Argument, _ line: UnfinishedLine) {
            let option = argument.names?.last?.name
            switch (line.words.first, option ?? argument.valueName) {
            case (_, "account"): self = .account
            case (_, "group"), ("group", "name"), ("account", "to"): self = .group
            case ("group", "keep"): self = .slot
            case (_, "provider"): self = .provider
            case ("provider", "name") where option == nil: self = .provider
            case (_, "well-known"): self = .wellKnownClient
            case (_, "client"): self = .client
            case ("client", "id") where line.words.last == "remove": self = .client
            case (_, "scope"), (_, "extra-scope"): self = .scope
            case ("slot", "id"), ("group", "slot"): self = .slot
            case (_, "tenant"): self = .tenant
            case ("sync", "device"): self = .device
            case ("undo", "id") where option == nil: self = .undoEntry
            default: return nil
            }
        }
    }

    /// A name, and what it is where that helps.
    typealias Word = (word: String, meaning: String?)

    private let line: UnfinishedLine

    init(_ line: UnfinishedLine) {
        self.line = line
    }

    /// The names, in order.
    func words(_ kind: Kind) -> [Word] {
        if kind == .wellKnownClient { return WellKnownClient.all.map { ($0.name, $0.title) } }
        guard let (keyring, groups) = opened() else { return [] }
        let found = (try? words(kind, of: keyring, groups)) ?? []
        return found.sorted { $0.word < $1.word }
    }

    private func words(
        _ kind: Kind, of keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> [Word] {
        switch kind {
        case .wellKnownClient: return []
        case .account: return Self.names(of: try keyring.accounts.list(in: groups))
        case .group: return try keyring.groups.list().map { ($0.name.name, nil) }
        case .provider: return try keyring.providers.list(in: groups).map { ($0.name, $0.title) }
        case .client:
            let known = try keyring.clients.list(in: groups).map { Word($0.client.id, $0.client.name) }
            let used = try accounts(keyring, groups).flatMap(\.clientIDs)
            return known + used.filter { !$0.isEmpty && $0 != Credential.noClient }.map { ($0, nil) }
        case .scope: return try scopes(keyring, groups).map { ($0, nil) }
        case .device:
            return try keyring.sync.status().devices.filter { !$0.isRevoked }.map {
                ($0.name.isEmpty ? $0.words : $0.name, $0.name.isEmpty ? nil : $0.words)
            }
        case .slot: return try keyring.slots.list().map { ($0.id, $0.kind) }
        case .undoEntry:
            return try keyring.undo.list(in: groups).filter { !$0.isLasting }
                .map { ($0.id, "\($0.command) \(Quantity.list($0.accountNames))") }
        case .tenant:
            return try accounts(keyring, groups).flatMap { candidate in
                candidate.realms.union(candidate.account.tenantProfiles.map(\.realm)).filter { !$0.isEmpty }
                    .map { ($0, candidate.account.name) }
            }
        }
    }

    /// Labels and user names; ids of those that have neither, and where a name is not one account's alone.
    private static func names(of candidates: [Candidate]) -> [Word] {
        var counts: [String: Set<AccountID>] = [:]
        for account in candidates.map(\.account) { counts[account.username, default: []].insert(account.id) }
        return candidates.flatMap { candidate -> [Word] in
            let account = candidate.account
            let isClear = !account.username.isEmpty && counts[account.username]?.count == 1
            let name = isClear ? account.username : account.id.description
            let group = "group \(candidate.group)"
            return (account.label.map { [($0, account.username.isEmpty ? group : account.username)] } ?? []) + [
                (name, group)
            ]
        }
    }

    /// The account that the line names, or all.
    private func accounts(_ keyring: Keyring, _ groups: [AccessGroup]?) throws(KeyringError) -> [Candidate] {
        guard let name = line.value("--account", "-a") else { return try keyring.accounts.list(in: groups) }
        return [try keyring.accounts.named(name, in: groups)]
    }

    /// The scopes of what is stored, of the first accounts where there are very many.
    private func scopes(_ keyring: Keyring, _ groups: [AccessGroup]?) throws(KeyringError) -> [String] {
        var scopes: Set<String> = []
        for candidate in try accounts(keyring, groups).prefix(200) {
            for credential in try keyring.accounts.credentials(of: candidate.account.id, in: candidate.group) {
                scopes.formUnion(credential.scopes.scopes)
            }
        }
        return Array(scopes)
    }

    /// The keyring that the line and the environment mean; nil where nothing at hand opens it.
    private func opened() -> (Keyring, [AccessGroup]?)? {
        var words = ["--no-input"]
        for name in ["--vault", "--group", "--key-file"] {
            if let value = line.value(name) { words += [name, value] }
        }
        guard let global = try? GlobalOptions.parse(words), let keyring = global.openedSilently() else { return nil }
        // A group that is being typed need not be there.
        return (keyring, (try? global.groups()) ?? nil)
    }
}
