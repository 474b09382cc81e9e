internal import Glibc
package import Keyfob
internal import KeyfobBus
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// The identity broker that another program is in this session, asked as programs made with MSAL ask it.
///
/// What it says is read within limits, counts as that program's word, and is stored nowhere.
package final class SessionBroker {
    /// Who is the broker of a session.
    package enum Kind: String, Sendable {
        case none
        /// Keyfob's agent.
        case keyfob
        /// Another program.
        case other
    }

    private let client: BusClient
    /// The connection of its process: whoever takes the name later is not asked.
    private let connection: String
    private let correlationID: String
    private let deadline: Deadline

    /// Longer than a real answer with very many accounts.
    private static let answerLimit = 1 << 20
    /// The version of the protocol that clients send.
    private static let protocolVersion = "0.0"

    /// Finds it; the bus starts it where it is installed and does not run.
    ///
    /// - Parameters:
    ///   - environment: Says where the session bus is.
    ///   - correlationID: By which the broker's own log names these calls.
    ///   - patience: For how long all of them are waited for.
    /// - Throws: `unavailable` without libsystemd or a bus, where there is no broker, and where Keyfob is it.
    package init(
        _ environment: [String: String], correlationID: String, patience: Duration = .seconds(60)
    ) throws(KeyringError) {
        deadline = Deadline(in: patience)
        self.correlationID = correlationID
        do throws(BusFailure) {
            client = try Self.client(environment, until: deadline)
        } catch {
            let text =
                error == .noLibrary
                ? "asking a broker needs libsystemd (\(BusService.library)), which is not here or too old: install libsystemd0"
                : "there is no session bus that answers: DBUS_SESSION_BUS_ADDRESS names none"
            throw KeyringError(.unavailable, text)
        }
        let owner: BrokerOwner?
        do throws(BusCallFailure) {
            owner = try Self.owner(client, environment, until: deadline)
        } catch {
            throw Self.failed(error)
        }
        guard let owner else {
            guard !BrokerServiceFile.isOwnInstalled(environment) else { throw Self.isKeyfob }
            throw KeyringError(
                .unavailable, "no program is the identity broker of this session, and none is installed that could be")
        }
        guard !owner.isKeyfob else { throw Self.isKeyfob }
        guard owner.user == geteuid() else {
            throw KeyringError(.unavailable, "the identity broker of this session belongs to another user")
        }
        connection = owner.connection
    }

    /// Who is the broker, started where it does not run; nil where there is none, or where that would start Keyfob.
    private static func owner(
        _ client: BusClient, _ environment: [String: String], until deadline: Deadline
    ) throws(BusCallFailure) -> BrokerOwner? {
        if let owner = try BrokerOwner(client, until: deadline) { return owner }
        guard !BrokerServiceFile.isOwnInstalled(environment), try BrokerOwner.isActivatable(client, until: deadline)
        else { return nil }
        try BrokerOwner.start(client, until: deadline)
        return try BrokerOwner(client, until: deadline)
    }

    /// Who is the broker, whether or not it runs; nothing is started.
    package static func kind(_ environment: [String: String]) -> (kind: Kind, isRunning: Bool) {
        let deadline = Deadline(in: .seconds(5))
        let isOwn = BrokerServiceFile.isOwnInstalled(environment)
        let client = try? client(environment, until: deadline)
        if let client, let owner = try? BrokerOwner(client, until: deadline) {
            return (owner.isKeyfob ? .keyfob : .other, true)
        }
        if isOwn { return (.keyfob, false) }
        let isActivatable = client.map { (try? BrokerOwner.isActivatable($0, until: deadline)) ?? false } ?? false
        return (isActivatable || BrokerServiceFile.other(environment) != nil ? .other : .none, false)
    }

    private static let isKeyfob = KeyringError(
        .unavailable, "the identity broker of this session is Keyfob's own agent: ask the vault")

    private static func client(
        _ environment: [String: String], until deadline: Deadline
    ) throws(BusFailure) -> BusClient {
        let socket = try BusSocket(BusAddress.session(environment), of: geteuid(), deadline: deadline)
        return try BusClient(socket, until: deadline)
    }

    private static func failed(_ failure: BusCallFailure) -> KeyringError {
        let text =
            switch failure {
            case .remote(let name): "refused the call (\(name))"
            case .timedOut: "did not answer in time"
            case .closed: "has gone away"
            case .oddAnswer: "answered with something else than a text, or with a longer one than 1 MiB"
            case .unfitArgument: "cannot be asked this"
            }
        return KeyringError(.unavailable, "the identity broker \(text); try again")
    }

    // MARK: Asking

    /// The broker's version; nil where it does not say.
    package func version() -> String? {
        var request = JSONWriter()
        request.beginObject()
        request.member("msalCppVersion", "1.1.0")
        request.endObject()
        do throws(KeyringError) {
            return try ask(.getLinuxBrokerVersion, request).withBytes { (bytes) throws(KeyringError) in
                try BrokerReply(reading: bytes).version(bytes)
            }
        } catch {
            return nil
        }
    }

    /// The accounts that the broker has for a client.
    ///
    /// - Throws: `unavailable`, `damaged` for an answer that cannot be read, and what the broker says.
    package func accounts(clientID: String) throws(KeyringError) -> [SessionBrokerAccount] {
        var request = JSONWriter()
        request.beginObject()
        request.member("clientId", clientID)
        request.member("redirectUri", SessionBrokerAccount.redirectURI)
        request.endObject()
        let answer = try ask(.getAccounts, request)
        return try answer.withBytes { (bytes) throws(KeyringError) in
            try BrokerReply(reading: bytes).accounts(bytes)
        }
    }

    /// An access token of one of its accounts, without anybody being asked.
    ///
    /// - Parameter tenant: The tenant in which it is meant; nil for the account's own.
    /// - Throws: `damaged` for an answer that cannot be read, or is about another account; `signInNeeded`, and what else the
    ///   broker says.
    package func token(
        of account: SessionBrokerAccount, clientID: String, scopes: ScopeSet, tenant: String?,
        clock: WallClock = .system
    ) throws(KeyringError) -> SessionBrokerToken {
        let answer = try ask(
            .acquireTokenSilently, account.tokenRequest(clientID: clientID, scopes: scopes, tenant: tenant))
        return try answer.withBytes { (bytes) throws(KeyringError) in
            try BrokerReply(reading: bytes).token(of: account, now: clock.now, bytes)
        }
    }

    private func ask(_ method: BrokerMethod, _ request: JSONWriter) throws(KeyringError) -> SecretBytes {
        let broker = BusObject.broker
        let texts = [Self.protocolVersion, correlationID, String(decoding: request.bytes, as: UTF8.self)]
        do throws(BusCallFailure) {
            return try client.text(
                connection, broker.path, broker.interface, method.rawValue, texts.map { .string($0) },
                atMost: Self.answerLimit, until: deadline)
        } catch {
            throw Self.failed(error)
        }
    }
}
