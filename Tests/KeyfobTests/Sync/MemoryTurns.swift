import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

@testable import Keyfob

/// Turns in memory, which do what a test tells them.
final class MemoryTurns: Sendable {
    struct State {
        var tokens: [[UInt8]: [UInt8]] = [:]
        var versions: [[UInt8]: Int] = [:]
        var held: [[UInt8]: String] = [:]
        var names: [[UInt8]] = []
        var looks = 0
        var lease = 0
        /// Whether nothing answers.
        var isAway = false
        /// Whether it lets itself be read, and takes nothing.
        var refuses = false
        /// After how many looks a turn ends by itself that nobody ends.
        var end: Int?
    }

    let state = Mutex(State())

    /// All names that were asked for.
    var names: [[UInt8]] { state.withLock { $0.names } }
    var tokens: [[UInt8]: [UInt8]] { state.withLock { $0.tokens } }

    func turns(patience: Duration = .seconds(20)) -> RefreshTurns {
        RefreshTurns(
            patience: patience, look: { self.look($0) }, take: { self.take($0, $1) },
            end: { name, turn, token, _ in self.end(name, turn, token) })
    }

    private func look(_ name: [UInt8]) -> RefreshTurns.Sight? {
        state.withLock { state in
            guard !state.isAway else { return nil }
            state.names.append(name)
            state.looks += 1
            if let end = state.end, state.looks > end { (state.held, state.end) = ([:], nil) }
            return .init(
                token: state.tokens[name], version: "\(state.versions[name] ?? 0)", isTaken: state.held[name] != nil)
        }
    }

    private func take(_ name: [UInt8], _ seen: RefreshTurns.Sight) -> RefreshTurns.Attempt {
        state.withLock { state in
            if state.refuses { return .refused }
            guard state.held[name] == nil, seen.version == "\(state.versions[name] ?? 0)" else { return .lost }
            state.lease += 1
            state.held[name] = "\(state.lease)"
            return .taken(.init(lease: "\(state.lease)", version: ""))
        }
    }

    private func end(_ name: [UInt8], _ turn: RefreshTurns.Turn, _ token: [UInt8]?) {
        state.withLock { state in
            guard state.held[name] == turn.lease else { return }
            state.held[name] = nil
            guard let token else { return }
            state.tokens[name] = token
            state.versions[name, default: 0] += 1
        }
    }

    /// Puts something there, as whoever can write there may.
    func put(_ bytes: [UInt8], _ name: [UInt8]) {
        state.withLock { state in
            state.tokens[name] = bytes
            state.versions[name, default: 0] += 1
        }
    }
}

extension SyncMachine {
    /// A token as this machine would tell others of it, with whatever is wrong with it.
    func sharedToken(
        _ text: String = "told", name: [UInt8], issued: Timestamp, lifetime: Int64 = 3_600, refreshToken: String = "rt",
        told: Int64? = nil, by signer: SyncMachine? = nil, more: String = ""
    ) throws -> [UInt8] {
        try HostileDevice.session(self) { session, sync, roster in
            let key = SharedTokenKey(secret(refreshToken), in: sync)
            let answer =
                "{\"access_token\": \"\(text)\", \"token_type\": \"Bearer\", \"expires_in\": \(told ?? lifetime)\(more)}"
            let own = try signer?.keyring.sync.openSession().own ?? session.own
            let token = SharedToken(
                secret(answer), name: name, by: own, issued: issued, lifetime: lifetime, with: key)
            return try SyncEnvelope.seal(
                token.signed(by: session.identity, in: sync), for: roster.readers(of: nil))
        }
    }
}

extension Keyring {
    /// The access token that a request of an account of Google's gets; the network and the turns are the test's.
    func token(
        of account: Account, _ provider: ScriptedNetwork, _ turns: RefreshTurns?, forced: Bool = false,
        minimumValidity: Int64? = nil
    ) async throws -> String {
        var acquisition = TokenAcquisition(
            TokenRequest(account: account.id.description, clientID: "mailer", minimumValidity: minimumValidity),
            options: SilentOptions(forcesRefresh: forced), network: { provider.network })
        acquisition.turns = { _, _ in turns }
        return text(of: try await tokens.acquire(acquisition).secret)
    }
}
