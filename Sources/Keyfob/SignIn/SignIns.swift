internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Sign-ins: in a browser, or with a code on another device; and those that end soon.
    ///
    /// ## Topics
    /// - ``redirects(for:in:)``
    /// - ``begin(_:redirectURI:in:network:)``
    /// - ``beginDevice(_:in:network:)``
    public struct SignIns: KeyringPart {
        package let keyring: Keyring
    }
}

extension Keyring {
    /// A sign-in that is about to end, or has ended, by the known lifetime of its refresh token.
    public struct EndingSignIn: Hashable, Sendable {
        /// Whose it is.
        public let account: Account
        /// The group it is in.
        public let group: AccessGroup
        /// The client that is signed in.
        public let clientID: String
        /// When it ends, unless a refresh brings another refresh token before.
        public let endsOn: Timestamp
    }
}

extension Keyring.SignIns {
    /// The sign-ins that end soon; see ``SignInEnd`` for how soon that is.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach.
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func ending(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [Keyring.EndingSignIn] {
        let now = clock.now
        return try withState { state in
            var found: [Keyring.EndingSignIn] = []
            for group in try state.groups(groups) {
                let tokens = try database.credentials(.refreshToken, in: group.keys).items.map(\.value)
                for token in tokens {
                    guard let end = SignInEnd(token), end.isNear(now),
                        let account = try database.account(token.account, in: group.keys)
                    else { continue }
                    found.append(
                        Keyring.EndingSignIn(
                            account: account, group: group.name, clientID: token.clientID, endsOn: end.endsOn))
                }
            }
            return found.sorted { ($0.endsOn, $0.account.id) < ($1.endsOn, $1.account.id) }
        }
    }

    /// Warns, once a day for each account, where the sign-in that has just given a token ends soon.
    func warnOfEnd(_ found: Keyring.FoundToken) {
        let now = clock.now
        let ending = try? withState { (state) -> SignInEnd? in
            let keys = try state.group(found.group).keys
            let client = (found.credential.clientID, "")
            let tokens = try database.credentials(.refreshToken, of: found.account.id, client: client, in: keys).items
            let end = tokens.compactMap { SignInEnd($0.value) }.max { $0.endsOn < $1.endsOn }
            guard let end, end.isNear(now) else { return nil }
            // Under the group's key, so that the note names nobody.
            let name = Hexadecimal.text(keys.blind(found.account.id).value.bytes)
            let notes = DailyNotes(state: location.state, vault: state.vault.header.vault.description)
            return (try? notes.isFirst(name, now: now)) ?? true ? end : nil
        }
        guard let ending = ending ?? nil else { return }
        let naming = keyring.accounts.naming(for: found.account)
        warn(
            .signInEnds, "the sign-in of \(naming.brief(found.account)) ends on \(ending.endsOn.rfc3339)",
            advice: .signIn(naming.briefTyped(found.account), ScopeSet()))
    }
}
