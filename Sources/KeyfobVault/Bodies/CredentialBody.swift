package import KeyfobModel

/// The attributes of a credential record.
///
/// 1 home account id, 2 environment, 3 client id, 4 realm, 5 scopes, 6 family id, 7 token type,
/// 8 key id, 9 cached at, 10 expires on, 11 extended expires on, 12 refresh on (i64 seconds since
/// 1970), 13 grant (1 state u8, 2 reason, 3 epoch u64, 4 generation u64, 5 rotates u8, 6 intent of a refresh
/// (1 id, 2 epoch u64, 3 generation u64, 4 written at i64), 7 failure of the last refresh (1 kind, 2 status i64, 3 detail,
/// 4 epoch u64, 5 generation u64, 6 time i64, 7 retry at i64), 8 highest epoch known of other machines u64), 14 additional field (repeats: 1 name, 2 JSON). The kind is
/// the record's.
package enum CredentialBody {
    private static let lastKnown: UInt16 = 14

    /// The body of `credential`; fields of `previous` that this build does not know stay.
    package static func encode(_ credential: Credential, replacing previous: FieldList? = nil) -> FieldList {
        var body = FieldList()
        body.append(1, credential.account.homeAccountID)
        body.append(2, credential.account.environment)
        body.append(3, credential.clientID)
        body.append(4, credential.realm)
        body.append(5, credential.scopes.spaceSeparated)
        body.append(6, credential.familyID)
        body.append(7, credential.tokenType)
        body.append(8, credential.keyID)
        body.append(9, credential.cachedAt?.seconds)
        body.append(10, credential.expiresOn?.seconds)
        body.append(11, credential.extendedExpiresOn?.seconds)
        body.append(12, credential.refreshOn?.seconds)
        if let grant = credential.grant { body.append(13, encode(grant)) }
        credential.additionalFields.append(to: &body, as: 14)
        body.keepUnknown(of: previous, above: lastKnown)
        return body
    }

    /// The credential in `body`.
    package static func decode(
        _ body: FieldList, kind: Credential.Kind
    ) throws(FieldList.Malformed) -> Credential {
        guard
            let account = AccountID(homeAccountID: try body.requiredText(1), environment: try body.requiredText(2))
        else { throw FieldList.Malformed() }
        var credential = Credential(kind: kind, account: account, clientID: try body.requiredText(3))
        credential.realm = try body.text(4) ?? ""
        credential.scopes = ScopeSet(spaceSeparated: try body.text(5) ?? "")
        credential.familyID = try body.text(6)
        credential.tokenType = try body.text(7)
        credential.keyID = try body.text(8)
        credential.cachedAt = try time(9, in: body)
        credential.expiresOn = try time(10, in: body)
        credential.extendedExpiresOn = try time(11, in: body)
        credential.refreshOn = try time(12, in: body)
        credential.grant = try body.lists(13).first.map(decodeGrant)
        credential.additionalFields = try AdditionalFields(body, 14)
        return credential
    }

    private static func time(_ number: UInt16, in body: FieldList) throws(FieldList.Malformed) -> Timestamp? {
        let seconds: Int64? = try body.integer(number)
        return seconds.map(Timestamp.init(seconds:))
    }

    private static func encode(_ grant: Grant) -> FieldList {
        var list = FieldList()
        switch grant.state {
        case .active: list.append(1, UInt8(1))
        case .signedOut: list.append(1, UInt8(2))
        case .needsSignIn(let reason):
            list.append(1, UInt8(3))
            list.append(2, reason)
        }
        list.append(3, grant.epoch)
        list.append(4, grant.generation)
        list.append(5, grant.rotates.map { $0 ? UInt8(1) : UInt8(0) })
        if let intent = grant.intent { list.append(6, encode(intent)) }
        if let failure = grant.failure { list.append(7, encode(failure)) }
        if grant.known > 0 { list.append(8, grant.known) }
        if grant.ended > 0 { list.append(9, grant.ended) }
        return list
    }

    private static func encode(_ intent: RefreshIntent) -> FieldList {
        var list = FieldList()
        list.append(1, intent.id)
        list.append(2, intent.version.epoch)
        list.append(3, intent.version.generation)
        list.append(4, intent.writtenAt.seconds)
        return list
    }

    private static func encode(_ failure: RefreshFailure) -> FieldList {
        var list = FieldList()
        list.append(1, failure.kind.rawValue)
        list.append(2, Int64(failure.status))
        list.append(3, failure.detail)
        list.append(4, failure.version.epoch)
        list.append(5, failure.version.generation)
        list.append(6, failure.time.seconds)
        list.append(7, failure.retryAt?.seconds)
        return list
    }

    /// The failure; nil for one of a kind that this build does not know, which nobody has to share.
    private static func decodeFailure(_ list: FieldList) throws(FieldList.Malformed) -> RefreshFailure? {
        guard let kind = RefreshFailure.Kind(rawValue: try list.requiredText(1)) else { return nil }
        let (status, seconds): (Int64?, Int64?) = (try list.integer(2), try list.integer(6))
        let retry: Int64? = try list.integer(7)
        return RefreshFailure(
            kind, status: status.flatMap { Int(exactly: $0) } ?? 0, detail: try list.text(3) ?? "",
            version: GrantVersion(epoch: try list.integer(4) ?? 1, generation: try list.integer(5) ?? 1),
            time: Timestamp(seconds: seconds ?? 0), retryAt: retry.map(Timestamp.init(seconds:)))
    }

    private static func decodeIntent(_ list: FieldList) throws(FieldList.Malformed) -> RefreshIntent {
        let written: Int64? = try list.integer(4)
        return RefreshIntent(
            id: try list.requiredText(1),
            version: GrantVersion(epoch: try list.integer(2) ?? 1, generation: try list.integer(3) ?? 1),
            writtenAt: Timestamp(seconds: written ?? 0))
    }

    private static func decodeGrant(_ list: FieldList) throws(FieldList.Malformed) -> Grant {
        let state: UInt8? = try list.integer(1)
        let rotates: UInt8? = try list.integer(5)
        var grant = Grant(
            epoch: try list.integer(3) ?? 1, generation: try list.integer(4) ?? 1, rotates: rotates.map { $0 != 0 })
        grant.intent = try list.lists(6).first.map(decodeIntent)
        if let failure = try list.lists(7).first { grant.failure = try decodeFailure(failure) }
        grant.known = try list.integer(8) ?? 0
        grant.ended = try list.integer(9) ?? 0
        switch state {
        case 1: grant.state = .active
        case 2: grant.state = .signedOut
        case 3: grant.state = .needsSignIn(reason: try list.text(2) ?? "")
        default: throw FieldList.Malformed()
        }
        return grant
    }
}
