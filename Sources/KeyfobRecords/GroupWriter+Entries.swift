internal import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

// What a program changes through a token cache of its own form: entry by entry, and no more than it names.

extension GroupWriter {
    /// Puts a token in the place of those that `isReplaced` names; tokens that serve the same purpose stay.
    package func put(
        _ credential: Credential, secret: borrowing SecretBytes, replacing isReplaced: (Credential) -> Bool
    ) throws {
        let former = try tokens(like: credential).filter { isReplaced($0.token) }
        for other in former.dropFirst() { try delete(other.record) }
        guard let (record, stored) = former.first else { return try insert(.credential(credential), secret: secret) }
        let isSame = try reader.holds(secret, record)
        if isSame, stored == credential { return }
        try replace(record, .credential(credential), secret: secret, isSameSecret: isSame)
    }

    /// Puts a refresh token in the place of those that `isReplaced` names.
    ///
    /// - Parameter displaced: Gets what the keyring held for the same grant under another name, before it goes: the keyring
    ///   has one refresh token of an account and client, the latest.
    package func putRefreshToken(
        _ credential: Credential, secret: borrowing SecretBytes, replacing isReplaced: (Credential) -> Bool,
        displaced: (Credential, borrowing SecretBytes) throws -> Void
    ) throws {
        let key = GrantKey(credential)
        for (record, stored) in try tokens(like: credential) {
            if isReplaced(stored) {
                if !key.matches(stored) { try bury(record) }
            } else if key.matches(stored), record.secretCommitment != nil {
                try displaced(stored, try reader.secret(record))
            }
        }
        _ = try save(credential, secret: secret, from: .owner)
    }

    /// Removes those of the tokens of one kind, account, client and realm that `isMeant` names.
    ///
    /// A grant is signed out.
    package func removeTokens(like credential: Credential, where isMeant: (Credential) -> Bool) throws {
        for (record, stored) in try tokens(like: credential) where isMeant(stored) {
            guard stored.kind == .refreshToken else {
                try bury(record)
                continue
            }
            guard record.secretCommitment != nil else { continue }
            var ended = stored
            ended.grant = (stored.grant ?? Grant()).signedOut
            try replace(record, .credential(ended))
        }
    }

    /// Removes what an account is in one tenant.
    ///
    /// An account without tenants and without tokens goes.
    package func removeProfile(_ realm: String, of id: AccountID) throws {
        guard var account = try account(id) else { return }
        let count = account.tenantProfiles.count
        account.tenantProfiles.removeAll { Identifier.folded($0.realm) == Identifier.folded(realm) }
        guard account.tenantProfiles.count < count else { return }
        let holdsTokens = try reader.records(.account, keys.blind(id)).contains { $0.secretCommitment != nil }
        if account.tenantProfiles.isEmpty, !holdsTokens, try foreign(of: id).isEmpty {
            _ = try remove(id)
        } else {
            try update(id) { $0.tenantProfiles = account.tenantProfiles }
        }
    }

    /// Removes what is known of a client.
    package func remove(_ metadata: AppMetadata) throws {
        for record in try reader.records(.credential, keys.lookup(.appMetadata(metadata)))
        where record.header.kind == .appMetadata {
            try bury(record)
        }
    }

    /// Removes what another program's file held under `key` in `section`.
    ///
    /// - Returns: Whether there was such an entry.
    @discardableResult
    package func removeForeign(section: String, key: String) throws -> Bool {
        let content = ItemContent.foreign(section: section, key: key)
        let found = try reader.records(.credential, keys.lookup(content)).filter { $0.header.kind == .foreign }
        for record in found { try bury(record) }
        return !found.isEmpty
    }

    /// Removes the entries of other programs' files that are about an account: those of one client, or all.
    func removeForeign(of account: AccountID, clientID: String? = nil) throws {
        for record in try foreign(of: account, clientID: clientID) { try bury(record) }
    }

    private func foreign(of account: AccountID, clientID: String? = nil) throws -> [StoredRecord] {
        guard try storage.mayHold(.foreign) else { return [] }
        var found: [StoredRecord] = []
        try reader.forEachRecord(kind: .foreign) { result in
            if let record = try? result.get() { found.append(record) }
        }
        return try found.filter { record in
            try reader.secret(record).withBytes { bytes in
                let owner = ForeignOwner(reading: bytes)
                return owner?.account == account && (clientID == nil || owner?.clientID == clientID)
            }
        }
    }

    private func tokens(like credential: Credential) throws -> [(record: StoredRecord, token: Credential)] {
        let kind = credential.kind
        return try reader.records(.credential, keys.lookup(.credential(credential)))
            .filter { $0.header.kind == RecordHeader.Kind(kind) }
            .map { record in
                let token = try record.decode(keys) { body throws(FieldList.Malformed) in
                    try CredentialBody.decode(body, kind: kind)
                }
                return (record, token)
            }
    }
}
