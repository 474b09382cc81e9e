package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

extension GroupWriter {
    /// Stores a credential and its token, in place of those it makes obsolete.
    ///
    /// From a file, a token that is older than the one stored is not taken. A refresh token that differs
    /// from the one stored raises the grant's generation, or its epoch when the grant had ended. A grant that has ended
    /// is revived by a file's refresh token only where that is another than before, and the file tells that it is from
    /// after the end: the file may still hold what was there when the person signed out.
    package func save(
        _ credential: Credential, secret: borrowing SecretBytes, from source: Source = .file
    ) throws -> Outcome {
        var credential = credential
        var replaced: StoredRecord?
        var isSameSecret = false
        var obsolete: [StoredRecord] = []
        var isSignedOut = false
        for record in try reader.records(.credential, keys.lookup(.credential(credential)))
        where record.header.kind == RecordHeader.Kind(credential.kind) {
            let stored = try record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: credential.kind)
            }
            let staysEnded = source.mayBeOlder && credential.comesBeforeEnd(of: stored, at: record.header.stamp)
            guard credential.supersedes(stored) else {
                // A sign-out covers the families too, of which the client may have had no token then.
                if staysEnded, stored.grant?.state == .signedOut { isSignedOut = true }
                continue
            }
            let isSame = try reader.holds(secret, record)
            let isOlder = credential.isOlder(than: stored) || source == .copy && credential.isOfSameSecond(as: stored)
            if source.mayBeOlder, !isSame, staysEnded || isOlder { return .kept }
            if credential.kind == .refreshToken {
                let (before, incoming) = (stored.grant ?? Grant(), credential.grant ?? Grant())
                if source == .signIn {
                    credential.grant = before.signedIn(incoming)
                } else {
                    credential.grant = isSame ? stored.grant : before.succeeded(by: incoming)
                }
            }
            // The same token, brought in again later, is the same token.
            var again = credential
            again.cachedAt = stored.cachedAt
            if isSame && stored == again { return .unchanged }
            if replaced == nil { (replaced, isSameSecret) = (record, isSame) } else { obsolete.append(record) }
        }
        for record in obsolete { try delete(record) }
        guard let replaced else {
            if isSignedOut { return .kept }
            try insert(.credential(credential), secret: secret)
            return .added
        }
        try replace(replaced, .credential(credential), secret: secret, isSameSecret: isSameSecret)
        return .changed
    }
}

extension GroupWriter {
    /// Has an access token end before `time`, if it is the very one; it stays, and says what a refresh is to get.
    ///
    /// - Returns: Whether it was there.
    package func expire(_ credential: Credential, secret: borrowing SecretBytes, at time: Timestamp) throws -> Bool {
        for record in try reader.records(.credential, keys.lookup(.credential(credential)))
        where record.header.kind == RecordHeader.Kind(credential.kind) && record.secretCommitment != nil {
            var stored = try record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: credential.kind)
            }
            guard stored == credential, try reader.secret(record).isEqual(to: secret) else { continue }
            stored.expiresOn = time.advanced(by: -1)
            (stored.refreshOn, stored.extendedExpiresOn) = (nil, nil)
            try replace(record, .credential(stored), secret: secret, isSameSecret: true)
            return true
        }
        return false
    }
}

extension Credential {
    /// Whether this refresh token came in the same second as another, so that nobody can tell which came first.
    fileprivate func isOfSameSecond(as stored: Credential) -> Bool {
        kind == .refreshToken && storedAt != nil && storedAt == stored.storedAt
    }

    /// Whether this refresh token is from before the end of a grant, for all that it tells; false where the grant has
    /// not ended.
    ///
    /// - Parameter stamp: When what is stored of the grant was written, which is not before the end.
    fileprivate func comesBeforeEnd(of stored: Credential, at stamp: Stamp) -> Bool {
        guard kind == .refreshToken, (stored.grant ?? Grant()).state != .active else { return false }
        // Files tell whole seconds: what was written in the same one is not known to be later.
        let end = Credential(
            kind: .refreshToken, account: account, clientID: clientID,
            cachedAt: Timestamp(seconds: stamp.milliseconds / 1_000))
        return !end.isOlder(than: self)
    }
}

extension Grant {
    /// The grant after the person signed in again.
    func signedIn(_ incoming: Grant) -> Grant {
        var grant = Grant(epoch: latestEpoch &+ 1, rotates: incoming.rotates ?? rotates, ended: latestEnded)
        grant.served = incoming.served
        return grant
    }

    /// Whether it is the same sign-in after another refresh token has taken the place of the one of `before`, which its
    /// provider may end where that one is used again.
    func replaces(_ before: Grant) -> Bool {
        state == .active && epoch == before.epoch && generation > before.generation
            && (rotates ?? before.rotates) != false
    }

    /// The grant after a refresh token came in from outside.
    func succeeded(by incoming: Grant) -> Grant {
        var grant = elsewhere
        grant.rotates = incoming.rotates ?? rotates
        if state == .active {
            grant.generation &+= 1
        } else {
            grant.ended = latestEnded
            grant.epoch = latestEpoch &+ 1
            grant.known = 0
            grant.generation = 1
            grant.state = .active
        }
        return grant
    }
}
