internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

// Under which account a sign-in is stored. An account that a name was only claimed for becomes the one of the person who proves that
// name: by the provider's word, and never by that of a file.

extension Keyring.SignIns {
    /// How long a refresh is waited for of an account that gets another id.
    private static let patience: Duration = .seconds(10)

    /// The grants of the accounts that may turn out to be the person's; nobody refreshes them meanwhile.
    struct ClaimedGrants {
        fileprivate let keys: Set<GrantKey>
        fileprivate let locks: GrantLocks
    }

    func locks(of signedIn: SignedInAccount, _ context: SignInContext) throws(KeyringError) -> ClaimedGrants? {
        let ids = Set(signedIn.claimedIDs + [context.expected?.id].compactMap(\.self)).subtracting([signedIn.id])
        let keys = try withState { state in
            let keys = try state.group(context.group).keys
            return Set(
                try ids.flatMap { id in
                    try database.credentials(.refreshToken, of: id, in: keys).items.map { GrantKey($0.value) }
                })
        }
        guard !keys.isEmpty else { return nil }
        return ClaimedGrants(keys: keys, locks: try GrantLocks(keys, of: keyring, patience: Self.patience))
    }

    /// Stores who signed in, and makes one account of those that are theirs.
    ///
    /// - Returns: Whether nothing was known of them.
    /// - Throws: `otherAccount`, `ambiguous`, `busy`, and what writing can throw.
    func save(
        _ signedIn: SignedInAccount, _ context: SignInContext, _ locks: ClaimedGrants?, _ writer: GroupWriter
    ) throws -> Bool {
        let claimed = try claimed(by: signedIn, context, writer)
        var account = signedIn.account
        if let known = try writer.account(signedIn.id), signedIn.isSilent(of: known) {
            // Nothing that the provider vouches for says otherwise.
            (account.username, account.tenantProfiles[0].username) = ("", "")
        }
        guard let claimed else { return try writer.save(account, from: .owner) == .added }
        guard try writer.grantKeys(of: claimed).isSubset(of: locks?.keys ?? []) else { throw GrantLocks.busy }
        try writer.adopt(claimed, as: account)
        try writer.adoptDecisions(of: claimed, by: signedIn.id)
        return false
    }

    /// The account that was only claimed so far and is the person's who signed in; nil where there is none.
    private func claimed(
        by signedIn: SignedInAccount, _ context: SignInContext, _ writer: GroupWriter
    ) throws -> AccountID? {
        if let expected = context.expected {
            if expected.id == signedIn.id { return nil }
            // One that was removed, and is still meant, is signed in again by the same rule.
            let known =
                try writer.account(expected.id)
                ?? writer.formerAccounts().first { $0.account.id == expected.id }?.account
            if let known, isClaimed(known, signedIn) { return expected.id }
            guard signedIn.compared(with: expected) == .other else { return nil }
            throw KeyringError(
                .otherAccount,
                "\(signedIn.name) signed in, and not \(expected.name(besides: signedIn)); nothing was stored",
                advice: .signInAs(expected.name),
                candidates: [expected.id.description, signedIn.id.description], names: [])
        }
        guard try !writer.hasAccount(signedIn.id) else { return nil }
        var found = try signedIn.claimedIDs.filter { id in
            try writer.account(id).map { isClaimed($0, signedIn) } ?? false
        }
        // One that was removed may still be meant by something.
        if found.isEmpty, !signedIn.claimedIDs.isEmpty {
            found = try writer.formerAccounts().map(\.account)
                .filter { signedIn.claimedIDs.contains($0.id) && isClaimed($0, signedIn) }.map(\.id)
        }
        guard found.count > 1 else { return found.first }
        let names = found.map(\.description)
        throw KeyringError(
            .ambiguous,
            "\(signedIn.name) signed in, which fits several accounts: \(names.joined(separator: ", ")); nothing was stored",
            advice: .signInAs(names[0]), candidates: names, names: [])
    }

    /// Whether only a name says who an account is, and the person who signed in proves it.
    ///
    /// Some providers have user names for subjects: such an account is its person's once they have signed in, whatever is left
    /// of that sign-in.
    private func isClaimed(_ account: Account, _ signedIn: SignedInAccount) -> Bool {
        account.isKnownByName && !account.isProved
            && EnvironmentAliases.areSame(account.id.environment, signedIn.id.environment)
            && signedIn.proves(account.username)
    }
}

extension SignedInAccount {
    /// The account as it is stored.
    var account: Account {
        var account = Account(
            id: id, username: profile.username, displayName: profile.displayName, tenantProfiles: [profile])
        account.isProved = isProved
        return account
    }

    /// What to call whoever signed in.
    fileprivate var name: String { profile.username.isEmpty ? id.homeAccountID : profile.username }

    /// Whether the provider has vouched for no name in the place of the one that is known.
    fileprivate func isSilent(of known: Account) -> Bool {
        guard provedUsername == nil, !known.username.isEmpty else { return false }
        return provedNames.isEmpty || known.mailAddress == nil
    }
}

extension Account {
    /// What to call it beside another one, which may have the same user name.
    fileprivate func name(besides signedIn: SignedInAccount) -> String {
        Identifier.foldedName(name) == Identifier.foldedName(signedIn.name) ? id.description : name
    }
}
