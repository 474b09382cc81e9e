internal import FoundationEssentials
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Synchronization

/// Turns at a refresh token that machines share, in etcd: `PREFIX/shared/NAME/turn`, which ends with its lease, and
/// `PREFIX/shared/NAME/token`, which goes when the token expires.
final class EtcdTurns: Sendable {
    /// How long etcd is waited for in all at each call, in seconds: a machine that cannot reach it goes on by itself.
    private static let callSeconds: Int64 = 2
    /// How long a turn lasts whose machine does not end it, in seconds.
    private static let turnSeconds: Int64 = 8
    private static let answerLimit = 512 << 10

    private struct State {
        var member = 0
        var token: String?
    }

    private let address: EtcdAddress
    private let network: Network
    private let turnSeconds: Int64
    private let callSeconds: Int64
    private let state = Mutex(State())

    init(
        _ address: EtcdAddress, over network: Network, turnSeconds: Int64 = turnSeconds,
        callSeconds: Int64 = callSeconds
    ) {
        (self.address, self.network) = (address, network)
        (self.turnSeconds, self.callSeconds) = (turnSeconds, callSeconds)
    }

    /// Where machines take turns whose sync lies at `remote`; nil where that is not etcd.
    static func turns(_ remote: String, _ network: Network) -> RefreshTurns? {
        guard case .etcd(let address)? = try? SyncRemote(remote) else { return nil }
        return EtcdTurns(address, over: network).turns
    }

    var turns: RefreshTurns {
        RefreshTurns(
            patience: .seconds(turnSeconds * 3 / 2 + 1), look: { await self.look($0) },
            take: { await self.take($0, $1) }, end: { await self.end($0, $1, $2, $3) })
    }

    private func key(_ name: [UInt8], _ part: String) -> Data {
        Data("\(address.prefix)/shared/\(Hexadecimal.text(name))/\(part)".utf8)
    }

    private func look(_ name: [UInt8]) async -> RefreshTurns.Sight? {
        let (token, turn) = (key(name, "token"), key(name, "turn"))
        let range = EtcdRange(key: key(name, ""), range_end: key(name, "~"))
        guard let answer: EtcdRange.Answer = await call("/v3/kv/range", range) else { return nil }
        let entries = answer.kvs ?? []
        let told = entries.first { $0.key == token }
        return RefreshTurns.Sight(
            token: told?.value.map { Array($0) }, version: told?.mod_revision ?? "0",
            isTaken: entries.contains { $0.key == turn })
    }

    private func take(_ name: [UInt8], _ seen: RefreshTurns.Sight) async -> RefreshTurns.Attempt {
        guard let lease = await lease(turnSeconds) else { return .refused }
        let transaction = EtcdTransaction(
            compare: [
                .init(key: key(name, "turn"), mod_revision: "0"),
                .init(key: key(name, "token"), mod_revision: seen.version),
            ],
            success: [.init(request_put: EtcdPut(key: key(name, "turn"), value: Data(), lease: lease))])
        let answer: EtcdTransaction.Answer? = await call("/v3/kv/txn", transaction)
        // etcd leaves out that it did not succeed.
        guard let answer, answer.succeeded == true else {
            await end(lease)
            return answer == nil ? .refused : .lost
        }
        return .taken(RefreshTurns.Turn(lease: lease, version: answer.header.revision))
    }

    private func end(_ name: [UInt8], _ turn: RefreshTurns.Turn, _ token: [UInt8]?, _ seconds: Int64) async {
        if let token, seconds > 0, let lease = await lease(seconds) {
            // In one step: who finds no turn any more finds the token.
            let transaction = EtcdTransaction(
                compare: [.init(key: key(name, "turn"), mod_revision: turn.version)],
                success: [
                    .init(request_put: EtcdPut(key: key(name, "token"), value: Data(token), lease: lease)),
                    .init(request_delete_range: .init(key: key(name, "turn"))),
                ])
            let answer: EtcdTransaction.Answer? = await call("/v3/kv/txn", transaction)
            if answer?.succeeded != true { await end(lease) }
        }
        await end(turn.lease)
    }

    private func lease(_ seconds: Int64) async -> String? {
        let answer: EtcdLeaseRequest.Answer? = await call("/v3/lease/grant", EtcdLeaseRequest(TTL: "\(seconds)"))
        return answer?.ID
    }

    private func end(_ lease: String) async {
        let _: EtcdLeaseEnd.Answer? = await call("/v3/lease/revoke", EtcdLeaseEnd(ID: lease))
    }

    // MARK: Calls

    /// What etcd answers; nil where no member does in time, or it refuses.
    private func call<Answer: Decodable>(_ path: String, _ body: some Encodable) async -> Answer? {
        guard let bytes = try? EtcdClient.encoded(body) else { return nil }
        let end = ContinuousClock.now + .seconds(callSeconds)
        for attempt in 0... {
            // Of several members one may be dead: the others are tried in the time there is.
            guard attempt < 2 * address.endpoints.count, ContinuousClock.now < end else { return nil }
            let member = state.withLock { $0.member }
            if let answer = await answer(member, path, bytes) {
                return try? JSONDecoder().decode(Answer.self, from: Data(answer))
            }
            state.withLock { state in
                state.token = nil
                if state.member == member { state.member = (member + 1) % address.endpoints.count }
            }
        }
        return nil
    }

    private func answer(_ member: Int, _ path: String, _ body: [UInt8]) async -> [UInt8]? {
        let endpoint = address.endpoints[member]
        guard let url = try? EtcdClient.call(endpoint, path) else { return nil }
        var token = state.withLock { $0.token }
        if let user = address.user, token == nil {
            guard let password = try? EtcdClient.signingIn(user),
                let url = try? EtcdClient.call(endpoint, "/v3/auth/authenticate"),
                let answer = await send(HTTPRequest(posting: password, to: url, answerLimit: Self.answerLimit))
            else { return nil }
            token = EtcdClient.token(in: answer)
            state.withLock { [token] in $0.token = token }
        }
        return await send(
            HTTPRequest(
                posting: body.withBytes { SecretBytes(copying: $0) }, to: url,
                authorization: EtcdClient.secret(token), answerLimit: Self.answerLimit))
    }

    private func send(_ request: consuming HTTPRequest) async -> [UInt8]? {
        guard case .answered(let response) = await network.send(request, callSeconds / 2), response.status == 200
        else { return nil }
        return response.body.withBytes { [UInt8]($0) }
    }
}
