internal import KeyfobModel

/// The grant within the attributes of a refresh token.
///
/// 1 state u8, 2 reason, 3 epoch u64, 4 generation u64, 5 rotates u8, 6 intent of a refresh (1 id, 2 epoch u64,
/// 3 generation u64, 4 written at i64), 7 failure of the last refresh (1 kind, 2 status i64, 3 detail, 4 epoch u64,
/// 5 generation u64, 6 time i64, 7 retry at i64), 8 highest epoch known of other machines u64, 9 highest epoch that was ended
/// u64, 10 scopes of the last request at home that gave tokens, 11 refused request (repeats, see ``RefusalBody``).
enum GrantBody {
    static func encode(_ grant: Grant) -> FieldList {
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
        list.append(10, grant.served?.spaceSeparated)
        for verdict in grant.refusals { list.append(11, RefusalBody.encode(verdict)) }
        return list
    }

    static func decode(_ list: FieldList) throws(FieldList.Malformed) -> Grant {
        let state: UInt8? = try list.integer(1)
        let rotates: UInt8? = try list.integer(5)
        var grant = Grant(
            epoch: try list.integer(3) ?? 1, generation: try list.integer(4) ?? 1, rotates: rotates.map { $0 != 0 })
        grant.intent = try list.lists(6).first.map(decodeIntent)
        if let failure = try list.lists(7).first { grant.failure = try decodeFailure(failure) }
        grant.known = try list.integer(8) ?? 0
        grant.ended = try list.integer(9) ?? 0
        if let served = try list.text(10) { grant.served = ScopeSet(spaceSeparated: served) }
        for verdict in try list.lists(11) {
            if let verdict = try RefusalBody.decode(verdict) { grant.refusals.append(verdict) }
        }
        switch state {
        case 1: grant.state = .active
        case 2: grant.state = .signedOut
        case 3: grant.state = .needsSignIn(reason: try list.text(2) ?? "")
        default: throw FieldList.Malformed()
        }
        return grant
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
}

/// A refused request that is remembered with a grant.
///
/// 1 id, 2 reach, 3 remedy, 4 whether it is of one client at the tenant u8, 5 client id, 6 tenant, 7 scopes, 8 claims, 9 time
/// i64, 10 status i64, 11 error, 12 suberror, 13 error code i64 (repeats), 14 sentence, 15 claims of the answer, 16 whether the
/// scopes did not go along u8.
enum RefusalBody {
    static func encode(_ verdict: RefusalVerdict) -> FieldList {
        var list = FieldList()
        list.append(1, verdict.id)
        list.append(2, verdict.reach.rawValue)
        list.append(3, verdict.remedy?.rawValue)
        if verdict.isOfClient { list.append(4, UInt8(1)) }
        list.append(5, verdict.request.clientID)
        list.append(6, verdict.request.tenant)
        list.append(7, verdict.request.scopes.spaceSeparated)
        list.append(8, verdict.request.claims)
        list.append(9, verdict.time.seconds)
        list.append(10, Int64(verdict.answer.status))
        list.append(11, verdict.answer.error)
        list.append(12, verdict.answer.suberror)
        for code in verdict.answer.codes { list.append(13, code) }
        list.append(14, verdict.answer.text)
        list.append(15, verdict.answer.claims)
        if !verdict.request.namesScopes { list.append(16, UInt8(1)) }
        return list
    }

    /// The verdict; nil for one with a reach or a remedy that this build does not know: then the provider is asked again.
    static func decode(_ list: FieldList) throws(FieldList.Malformed) -> RefusalVerdict? {
        guard let reach = RefusalReach(rawValue: try list.requiredText(2)) else { return nil }
        var remedy: RefusalRemedy?
        if let name = try list.text(3) {
            guard let known = RefusalRemedy(rawValue: name) else { return nil }
            remedy = known
        }
        let (isOfClient, isScopeless): (UInt8?, UInt8?) = (try list.integer(4), try list.integer(16))
        let (status, time): (Int64?, Int64?) = (try list.integer(10), try list.integer(9))
        return RefusalVerdict(
            id: try list.requiredText(1), reach: reach, isOfClient: isOfClient == 1, remedy: remedy,
            request: RefusedRequest(
                clientID: try list.requiredText(5), tenant: try list.text(6) ?? "",
                scopes: ScopeSet(spaceSeparated: try list.text(7) ?? ""), namesScopes: isScopeless != 1,
                claims: try list.text(8)),
            answer: RefusalVerdict.Answer(
                status: status.flatMap { Int(exactly: $0) } ?? 0, error: try list.text(11),
                suberror: try list.text(12), codes: try list.integers(13), text: try list.text(14),
                claims: try list.text(15)),
            time: Timestamp(seconds: time ?? 0))
    }
}
