package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

extension GroupWriter {
    /// Stores a credential and its token, in place of those it makes obsolete.
    ///
    /// From a file, a token that is older than the one stored is not taken. A refresh token that differs
    /// from the one stored raises the grant's generation, or its epoch when the grant had ended.
    package func save(
        _ credential: Credential, secret: borrowing SecretBytes, from source: Source = .file
    ) throws -> Outcome {
        var credential = credential
        let index = keys.index(credential)
        guard let blinded = index.credential else { return .unchanged }
        var replaced: StoredRecord?
        var isSameSecret = false
        var obsolete: [StoredRecord] = []
        for record in try reader.records(.credential, blinded) where record.header.kind == credential.kind.record {
            let stored = try record.decode(keys) { body throws(FieldList.Malformed) in
                try CredentialBody.decode(body, kind: credential.kind)
            }
            guard credential.supersedes(stored) else { continue }
            // A grant that has ended has no token.
            let isSame = try record.secretCommitment != nil && reader.secret(record).isEqual(to: secret)
            if source == .file, !isSame, credential.isOlder(than: stored) { return .kept }
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
            try insert(credential.kind.record, index, CredentialBody.encode(credential), secret: secret)
            return .added
        }
        let body = CredentialBody.encode(credential, replacing: try replaced.open(keys))
        try replace(replaced, index, body, secret: secret, isSameSecret: isSameSecret)
        return .changed
    }
}

extension Credential.Kind {
    /// The kind of record that holds such a credential.
    var record: RecordHeader.Kind {
        switch self {
        case .accessToken: .accessToken
        case .refreshToken: .refreshToken
        case .idToken: .idToken
        }
    }
}

extension Grant {
    /// The grant after the person signed in again.
    func signedIn(_ incoming: Grant) -> Grant {
        Grant(epoch: epoch &+ 1, rotates: incoming.rotates ?? rotates)
    }

    /// The grant after a refresh token came in from outside.
    func succeeded(by incoming: Grant) -> Grant {
        var grant = elsewhere
        grant.rotates = incoming.rotates ?? rotates
        if state == .active {
            grant.generation &+= 1
        } else {
            grant.epoch &+= 1
            grant.generation = 1
            grant.state = .active
        }
        return grant
    }
}
