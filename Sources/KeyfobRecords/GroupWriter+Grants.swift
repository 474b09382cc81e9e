internal import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

/// Which refresh token of a group: an account has one for each client and family.
package struct GrantKey: Hashable, Sendable {
    package let account: AccountID
    package let clientID: String
    package let familyID: String?

    /// The key of a refresh token.
    package init(_ token: Credential) {
        account = token.account
        clientID = token.clientID
        familyID = token.familyID
    }

    /// Its lock's number among those of a vault: the same in every group, so that it holds when the account moves, or
    /// the group gets another name, and when an account that is in two groups has the token in both.
    package func lockNumber(vault: String) -> UInt64 {
        let parts = [vault, account.canonical, clientID, familyID ?? ""]
        let digest = BLAKE2b.hash(Array(parts.joined(separator: "\u{0}").utf8), count: 16)
        return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether `token` is the one.
    package func matches(_ token: Credential) -> Bool {
        token.kind == .refreshToken && token.account == account && token.clientID == clientID
            && token.familyID == familyID && token.partition.isEmpty
    }
}

extension GroupWriter {
    /// What is known of a refresh token; nil where it is gone.
    package func grant(_ key: GrantKey) throws -> Credential? {
        try record(of: key)?.token
    }

    /// Whether the account is there.
    package func hasAccount(_ id: AccountID) throws -> Bool {
        try reader.records(.account, keys.blind(id)).contains { $0.header.kind == .account }
    }

    /// The account with this id.
    package func account(_ id: AccountID) throws -> Account? {
        try reader.records(.account, keys.blind(id)).first { $0.header.kind == .account }?
            .decode(keys, AccountBody.decode)
    }

    /// Which refresh tokens an account has.
    package func grantKeys(of account: AccountID) throws -> Set<GrantKey> {
        Set(try refreshTokens(of: account).map { GrantKey($0.token) })
    }

    /// What is known of the refresh tokens of a client for an account: one, or two where it joined or left a family
    /// elsewhere.
    package func grants(of account: AccountID, clientID: String) throws -> [Credential] {
        try refreshTokens(of: account, clientID: clientID).map(\.token).filter(\.partition.isEmpty)
    }

    /// Removes the refresh tokens that a client had for an account before it joined, or left, the family of `token`.
    ///
    /// - Returns: The highest epoch of those that went.
    package func removeGrants(besides token: Credential) throws -> UInt64? {
        let key = GrantKey(token)
        var epoch: UInt64?
        for (record, other) in try refreshTokens(of: token.account, clientID: token.clientID)
        where other.partition.isEmpty && !key.matches(other) {
            epoch = max(epoch ?? 0, (other.grant ?? Grant()).latestEpoch)
            try bury(record)
        }
        return epoch
    }

    /// Removes what is left of the ended grants of a client for an account, after a sign-in without a refresh token.
    package func removeEndedGrants(of account: AccountID, clientID: String) throws {
        for (record, token) in try refreshTokens(of: account, clientID: clientID)
        where token.partition.isEmpty && (token.grant ?? Grant()).state != .active {
            try bury(record)
        }
    }

    /// Removes the mark that a client is signed out of an account, where it has no refresh token.
    package func removeSignOutMark(of account: AccountID, clientID: String) throws {
        for (record, token) in try refreshTokens(of: account, clientID: clientID)
        where token.partition.isEmpty && record.secretCommitment == nil && token.grant?.state == .signedOut {
            try bury(record)
        }
    }

    /// Whether the very refresh token that `other` holds for a grant is in use here too.
    package func hasSameToken(_ key: GrantKey, as other: GroupWriter) throws -> Bool {
        guard let mine = try record(of: key), (mine.token.grant ?? Grant()).state == .active,
            mine.record.secretCommitment != nil, let theirs = try other.record(of: key)?.record,
            theirs.secretCommitment != nil
        else { return false }
        return try reader.secret(mine.record).isEqual(to: other.reader.secret(theirs))
    }

    /// Changes what is known of a refresh token; the token stays.
    ///
    /// - Throws: `notFound`.
    package func updateGrant(_ key: GrantKey, _ body: (inout Credential) -> Void) throws {
        guard let (record, stored) = try record(of: key) else { throw StoreError.notFound }
        var token = stored
        body(&token)
        guard token != stored else { return }
        guard record.secretCommitment != nil else { return try replace(record, .credential(token)) }
        try replace(record, .credential(token), secret: try reader.secret(record), isSameSecret: true)
    }

    /// Puts another refresh token in the place of one.
    ///
    /// - Throws: `notFound`.
    package func replaceGrant(
        _ key: GrantKey, secret: borrowing SecretBytes, _ body: (inout Credential) -> Void
    ) throws {
        guard let (record, stored) = try record(of: key) else { throw StoreError.notFound }
        var token = stored
        body(&token)
        try replace(record, .credential(token), secret: secret)
    }

    /// Ends a grant and removes its refresh token; the state stays, and so do the refused requests.
    package func endGrant(_ key: GrantKey, as state: Grant.State) throws {
        guard let (record, stored) = try record(of: key) else { return }
        var token = stored
        let old = token.grant ?? Grant()
        var grant = old.elsewhere
        (grant.state, grant.refusals) = (state, old.refusals)
        token.grant = grant
        try replace(record, .credential(token))
    }

    /// Has all grants forget what was refused to a client, of which something else is stored now.
    package func forgetRefusals(ofClient clientID: String) throws {
        var keys: [GrantKey] = []
        try reader.forEachRecord(kind: .refreshToken) { result in
            // Of one that does not open nothing is known, and nothing is told.
            guard let record = try? result.get(),
                let token = try? record.decode(
                    self.keys,
                    { body throws(FieldList.Malformed) in
                        try CredentialBody.decode(body, kind: .refreshToken)
                    }), token.grant?.refusals.contains(where: { $0.isOfClient(clientID) }) == true
            else { return }
            keys.append(GrantKey(token))
        }
        for key in keys {
            try updateGrant(key) { token in
                var grant = token.grant ?? Grant()
                grant.refusals.removeAll { $0.isOfClient(clientID) }
                token.grant = grant
            }
        }
    }

    /// Signs a client out of an account.
    ///
    /// Its refresh tokens go, and a grant that is signed out stays, also where there was none, so that no family's token serves
    /// the client. What the client's access tokens were for stays with it, so that the account is still the one that is meant.
    ///
    /// - Parameters:
    ///   - leavesMark: Whether one is left where there was none.
    ///   - body: Gets what is known of each refresh token before it goes, and the token.
    package func signOut(
        _ clientID: String, of account: AccountID, leavesMark: Bool,
        _ body: (Credential, borrowing SecretBytes) -> Void
    ) throws {
        let tokens = try refreshTokens(of: account, clientID: clientID)
        let given = try accessTokens(of: account, clientID: clientID)
        for (record, stored) in tokens {
            if record.secretCommitment != nil { body(stored, try reader.secret(record)) }
            var token = stored
            token.grant = (token.grant ?? Grant()).signedOut
            token.remember(given, hadGrant: true)
            try replace(record, .credential(token))
        }
        try removeForeign(of: account, clientID: clientID)
        guard tokens.isEmpty, leavesMark, !clientID.isEmpty else { return }
        var mark = Credential(
            kind: .refreshToken, account: account, clientID: clientID, grant: Grant(state: .signedOut))
        mark.remember(given, hadGrant: false)
        try insert(.credential(mark))
    }

    /// The access tokens that a client has for an account, without the tokens.
    package func accessTokens(of account: AccountID, clientID: String) throws -> [Credential] {
        try reader.records(of: keys.blind(account), kind: RecordHeader.Kind(.accessToken)).compactMap { record in
            let token = try? record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: .accessToken)
            }
            return token.flatMap { $0.clientID == clientID ? $0 : nil }
        }
    }

    /// Whether an access token is there.
    package func holds(_ credential: Credential) throws -> Bool {
        try reader.records(of: keys.blind(credential.account), kind: RecordHeader.Kind(.accessToken)).contains {
            record in
            let token = try record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: .accessToken)
            }
            return token == credential
        }
    }

    /// Removes the access and ID tokens of an account that `isMeant` names.
    ///
    /// - Returns: How many went.
    @discardableResult
    package func removeTokens(of account: AccountID, where isMeant: (Credential) -> Bool) throws -> Int {
        var count = 0
        for kind in [Credential.Kind.accessToken, .idToken] {
            for record in try reader.records(of: keys.blind(account), kind: RecordHeader.Kind(kind)) {
                let token = try record.decode(keys) { body throws(FieldList.Malformed) in
                    try CredentialBody.decode(body, kind: kind)
                }
                guard isMeant(token) else { continue }
                try bury(record)
                count += 1
            }
        }
        return count
    }

    private func record(of key: GrantKey) throws -> (record: StoredRecord, token: Credential)? {
        try refreshTokens(of: key.account, clientID: key.clientID).first { key.matches($0.token) }
    }

    private func refreshTokens(
        of account: AccountID, clientID: String? = nil
    ) throws -> [(record: StoredRecord, token: Credential)] {
        var found: [(record: StoredRecord, token: Credential)] = []
        for record in try reader.records(of: keys.blind(account), kind: .refreshToken) {
            let token = try record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: .refreshToken)
            }
            if clientID == nil || token.clientID == clientID { found.append((record, token)) }
        }
        return found
    }
}

extension RefusalVerdict {
    /// Whether a client as a whole was refused.
    fileprivate func isOfClient(_ id: String) -> Bool { reach == .client && request.clientID == id }
}
