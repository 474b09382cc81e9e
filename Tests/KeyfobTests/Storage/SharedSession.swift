import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Synchronization

/// A session whose Secret Service keeps the vaults of several tests in one collection; it ends with the last of them.
///
/// GNOME's keyring writes its whole file with each change: after some vaults, the next ones come to another session.
final class SharedSession: Sendable {
    private static let vaultLimit = 12
    private static let latest = Mutex<[DesktopService: (session: SharedSession, vaults: Int)]>([:])

    /// The session for one vault more, with the service of the test.
    static func forOneVault() throws -> SharedSession {
        let service = DesktopService.ofTest
        return try latest.withLock { latest in
            if let (session, vaults) = latest[service], vaults < vaultLimit {
                latest[service] = (session, vaults + 1)
                return session
            }
            let session = try SharedSession(service.service, mayPrompt: service == .askingKeePassXC)
            latest[service] = (session, 1)
            return session
        }
    }

    /// What a program needs to find the service.
    let environment: [String: String]
    private let session: Mutex<SecretServiceSession>

    /// Whether the service may ask somebody.
    let mayPrompt: Bool

    /// A session of one's own.
    ///
    /// - Parameter refusals: The file that says which calls to the service are refused.
    init(
        _ service: SecretServiceSession.Service = .keyring, mayPrompt: Bool = false, refusals: String? = nil
    ) throws {
        self.mayPrompt = mayPrompt
        let session = try SecretServiceSession(service)
        var environment = session.environment
        if let refusals { environment["DBUS_SESSION_BUS_ADDRESS"] = try session.refuseCalls(asSays: refusals) }
        self.environment = environment
        self.session = Mutex(session)
    }

    /// How to reach the service.
    ///
    /// Other tests use it too, so that there is time.
    var options: SecretServiceOptions {
        SecretServiceOptions(environment: environment, mayPrompt: mayPrompt, deadline: .seconds(60))
    }

    /// A connection of somebody else in the session.
    func connected() throws -> SecretService {
        try SecretService.connect(
            SecretServiceAccess(environment: environment, mayPrompt: mayPrompt, deadline: .seconds(60)))
    }

    /// Does something to the session.
    func withSession<Result: Sendable>(_ body: (SecretServiceSession) throws -> Result) rethrows -> Result {
        try session.withLock { try body($0) }
    }
}
