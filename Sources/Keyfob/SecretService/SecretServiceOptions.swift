internal import KeyfobSecretService

/// How to reach the Secret Service, the keyring of the desktop, on the session bus.
public struct SecretServiceOptions: Sendable {
    /// The environment variables; `DBUS_SESSION_BUS_ADDRESS` and `XDG_RUNTIME_DIR` are looked at, nothing else.
    public var environment: [String: String]
    /// Whether the service may ask a person in a window of its own, for example to unlock a collection.
    public var mayPrompt: Bool
    /// How long to wait for everything that is not waiting for a person.
    public var deadline: Duration
    /// Called where the service has asked a person and is being waited for.
    public var whenAsking: (@Sendable () -> Void)?

    /// Options.
    public init(
        environment: [String: String], mayPrompt: Bool = false, deadline: Duration = .seconds(3),
        whenAsking: (@Sendable () -> Void)? = nil
    ) {
        self.environment = environment
        self.mayPrompt = mayPrompt
        self.deadline = deadline
        self.whenAsking = whenAsking
    }

    /// Whether there is a session bus with a Secret Service; asks nobody anything.
    public var isReachable: Bool {
        var silent = self
        silent.mayPrompt = false
        return (try? silent.connected()) != nil
    }

    /// Has the libraries below print nothing; to be called first, by a program that does not use GLib for itself.
    package static func silenceLibraries() { Libsecret.silenceGLib() }

    /// A connection.
    ///
    /// - Throws: `unavailable`.
    func connected() throws(KeyringError) -> SecretService {
        do {
            return try SecretService.connect(access)
        } catch {
            throw KeyringError(error)
        }
    }
}
