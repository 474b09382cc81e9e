internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

// Where a sign-in is shared, and whoever shares it may end it for the others.

extension Keyring.Caches {
    /// Warns of what an imported refresh token shares with the program it came from, and with other groups.
    ///
    /// - Parameters:
    ///   - left: The accounts of the cache that were left out.
    ///   - isTakenOver: Whether the program is about to lose its refresh tokens.
    ///   - advice: What to do about it.
    func warnOfSharing(
        _ cache: MSALCache, _ bytes: RawSpan, but left: [Account], group name: AccessGroup, isTakenOver: Bool,
        advice: Advice = .takeOver
    ) throws(KeyringError) {
        let leftOut = Set(left.map(\.id))
        let tokens = cache.credentials.filter {
            $0.credential.kind == .refreshToken && $0.credential.partition.isEmpty
                && !leftOut.contains($0.credential.account)
        }
        let names = Dictionary(cache.accounts.map { ($0.id, $0.name) }) { first, _ in first }
        var (copied, others) = (Set<AccountID>(), [AccountID: Set<AccessGroup>]())
        for token in tokens {
            let account = token.credential.account
            guard try mayEnd(atReuseBy: account, in: name) else { continue }
            copied.insert(account)
            let secret = token.secret.secret(in: bytes)
            for other in try copies(of: GrantKey(token.credential), in: name, follow: { $0.isEqual(to: secret) }) {
                others[account, default: []].insert(other)
            }
        }
        func listed(_ accounts: some Sequence<AccountID>) -> String {
            accounts.map { names[$0] ?? $0.description }.sorted().joined(separator: ", ")
        }
        if !copied.isEmpty, !isTakenOver {
            warn(
                .sharedSignIn,
                "the program that the cache came from uses the same sign-in of \(listed(copied)): where the provider "
                    + "replaces refresh tokens, Keyfob and that program end it for each other", advice: advice)
        }
        for (account, groups) in others.sorted(by: { $0.key < $1.key }) {
            warnOfCopies(of: account, listed([account]), in: groups)
        }
        try warnOfGroupsBeyondReach(copied.isEmpty ? nil : listed(copied))
    }

    /// Warns, after an account was moved, where another group has its refresh token and does not follow it there.
    func warnOfSharing(_ account: AccountID, movedTo name: AccessGroup) throws(KeyringError) {
        guard try mayEnd(atReuseBy: account, in: name) else { return }
        let tokens = try keyring.accounts.credentials(of: account, in: name).filter {
            $0.kind == .refreshToken && $0.partition.isEmpty && ($0.grant ?? Grant()).state == .active
        }
        guard !tokens.isEmpty else { return }
        let display = try withState { state in
            try database.account(account, in: try state.group(name).keys)?.name ?? account.description
        }
        var others: Set<AccessGroup> = []
        for token in tokens { others.formUnion(try copies(of: GrantKey(token), in: name)) }
        if !others.isEmpty { warnOfCopies(of: account, display, in: others) }
        try warnOfGroupsBeyondReach(display)
    }

    private func warnOfCopies(of account: AccountID, _ name: String, in groups: Set<AccessGroup>) {
        let list = groups.map { "'\($0.name)'" }.sorted().joined(separator: ", ")
        warn(
            .sharedSignIn,
            "\(name) is signed in to the same client in group \(list) too, which does not follow when a refresh token is "
                + "replaced here: if both come from one sign-in, they end it for each other",
            advice: .removeFromOneGroup(name))
    }

    private func warnOfGroupsBeyondReach(_ names: String?) throws(KeyringError) {
        guard let names, try withState({ $0.vault.hasGroupsBeyondReach }) else { return }
        warn(
            .sharedSignIn,
            "the key opens some groups only: one of the others that holds the same sign-in of \(names) does not follow, and "
                + "each of the two may end it for the other")
    }

    /// Whether a sign-in may end when a refresh token that was replaced is used once more, for all that is known of its
    /// provider.
    private func mayEnd(atReuseBy account: AccountID, in group: AccessGroup) throws(KeyringError) -> Bool {
        let provider = try keyring.providers.description(forEnvironment: account.environment, in: [group])
        guard let provider else { return true }
        return !provider.quirks.contains(.toleratesReuse) && provider.rotation != .no
    }

    /// The other groups within reach whose refresh token for `key` will not follow that of `group`: it is another one,
    /// or another provider is asked there.
    private func copies(
        of key: GrantKey, in name: AccessGroup, follow: (borrowing SecretBytes) -> Bool
    ) throws(KeyringError) -> [AccessGroup] {
        let environment = key.account.environment
        let provider = try keyring.providers.description(forEnvironment: environment, in: [name])
        let found = try withState { state in
            var found: [(group: AccessGroup, isSame: Bool)] = []
            for other in state.vault.groups where other.name != name {
                guard let stored = try database.activeToken(key, in: other.keys) else { continue }
                found.append((other.name, try follow(database.secret(of: stored.record, in: other.keys))))
            }
            return found
        }
        var copies: [AccessGroup] = []
        for (group, isSame) in found {
            if isSame, try keyring.providers.description(forEnvironment: environment, in: [group]) == provider {
                continue
            }
            copies.append(group)
        }
        return copies
    }

    private func copies(of key: GrantKey, in name: AccessGroup) throws(KeyringError) -> [AccessGroup] {
        let secret = try withState { state in
            let keys = try state.group(name).keys
            guard let token = try database.activeToken(key, in: keys) else { return HeldToken?.none }
            return HeldToken(try database.secret(of: token.record, in: keys))
        }
        guard let secret else { return [] }
        return try copies(of: key, in: name) { $0.isEqual(to: secret.secret) }
    }
}
