internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSelection
internal import KeyfobVault

extension Keyring {
    /// What storing something did.
    public enum StoreOutcome: String, Hashable, Sendable, CaseIterable {
        /// It is new.
        case added
        /// It took the place of something older.
        case changed
        /// It was there already.
        case unchanged
        /// What is stored is newer and was kept.
        case kept

        init(_ outcome: GroupWriter.Outcome) {
            switch outcome {
            case .added: self = .added
            case .changed: self = .changed
            case .unchanged: self = .unchanged
            case .kept: self = .kept
            }
        }
    }
}

extension Keyring {
    /// What became of a token that was given to be stored.
    public struct StoredToken: Hashable, Sendable {
        /// What storing it did.
        public let outcome: StoreOutcome
        /// Whose it is now: the one that was named, the account that has signed in under that user name, or the one that has
        /// taken the named one over.
        public let account: AccountID
    }
}

extension Keyring.Tokens {
    /// Stores a token and the account it belongs to, in one transaction.
    ///
    /// When it returns, the token is durable.
    ///
    /// - Parameters:
    ///   - credential: What is known of the token.
    ///   - secret: The token: not empty, at most 1 MiB.
    ///   - account: Whose it is; an account that is stored already is brought up to date. An id that an account had before
    ///     means that account, and the user name of one that has signed in means that one.
    ///   - groups: The first is where it goes; nil for `default`, or the only one within reach.
    /// - Throws: `usage` for an empty token or one that belongs to another account, `limitExceeded`,
    ///   and what writing can throw.
    public func store(
        _ credential: Credential, secret: borrowing SecretBytes, for account: Account,
        in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Keyring.StoredToken {
        guard secret.count > 0 else { throw KeyringError(.usage, "the token is empty") }
        guard credential.account == account.id else {
            throw KeyringError(.usage, "the token belongs to another account")
        }
        if let label = account.label { try NewName.label.require(label) }
        // A closure cannot hold what it does not own, so it is given a copy.
        let secret = secret.withBytes { SecretBytes(copying: $0) }
        return try withState { state in
            let group = try state.groupForNewItems(groups)
            let person = try person(of: credential, account, in: group)
            return try change(&state, group, as: "add") { writer in
                var (account, credential) = (account, credential)
                // An id that an account had was removed with it.
                if let person {
                    credential.account = person
                    account = Account(id: person, username: "", displayName: account.displayName, label: account.label)
                } else if try writer.wasRemoved(account.id), let owner = try writer.formerIDs()[account.id] {
                    credential.account = owner
                    account = Account(id: owner, username: "", displayName: account.displayName, label: account.label)
                }
                _ = try writer.save(account, from: .owner)
                let outcome = try writer.save(credential, secret: secret, from: .owner)
                // Whose token the owner stores is not signed out any more.
                if credential.kind == .accessToken {
                    try writer.removeSignOutMark(of: account.id, clientID: credential.clientID)
                }
                return Keyring.StoredToken(outcome: Keyring.StoreOutcome(outcome), account: credential.account)
            }
        }
    }

    /// The account that a token from elsewhere goes to where the owner gives the user name of one that has signed in.
    private func person(
        of credential: Credential, _ account: Account, in group: UnlockedVault.Group
    ) throws -> AccountID? {
        guard credential.kind == .accessToken, credential.clientID == Credential.noClient, account.isKnownByName,
            try database.account(account.id, in: group.keys) == nil
        else { return nil }
        let people = try database.accounts(called: account.username, in: group.keys).filter {
            $0.isCalled(account.id) && !$0.isKnownByName && $0.isProved
        }
        return people.count == 1 ? people[0].id : nil
    }
}
