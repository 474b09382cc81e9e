/// How to reach the Secret Service.
package struct SecretServiceAccess: Sendable {
    /// `DBUS_SESSION_BUS_ADDRESS` and `XDG_RUNTIME_DIR` are looked at; nothing else.
    package var environment: [String: String]

    /// Whether the service may ask the person at the desktop.
    package var mayPrompt: Bool

    /// How long to wait for everything that is not waiting for a person: for connecting and the first
    /// operation together, and for each further one.
    package var deadline: Duration

    /// How long to wait for a person.
    package var promptDeadline: Duration

    /// Called where the service has asked the person and is being waited for.
    package var whenAsking: (@Sendable () -> Void)?

    package init(
        environment: [String: String], mayPrompt: Bool, deadline: Duration,
        promptDeadline: Duration = .seconds(120), whenAsking: (@Sendable () -> Void)? = nil
    ) {
        self.environment = environment
        self.mayPrompt = mayPrompt
        self.deadline = deadline
        self.promptDeadline = promptDeadline
        self.whenAsking = whenAsking
    }
}
