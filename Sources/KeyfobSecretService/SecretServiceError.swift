/// Why the Secret Service did not do what it was asked.
package enum SecretServiceError: Error, Equatable, Sendable {
    /// libsecret is not installed.
    case noLibrary
    /// There is no session bus, or nobody listens at its address.
    case noBus
    /// The bus has no owner of `org.freedesktop.secrets` and cannot start one, or the owner went away.
    case noService
    /// No answer within the deadline.
    case timedOut
    /// The collection or the item is locked, and asking is not allowed.
    case locked
    /// The person closed the prompt, or did not answer it in time.
    case promptDismissed
    /// There is no default collection, or the one named is gone.
    case noCollection
    /// The item is gone.
    case noItem
    /// The service wants to ask before it does this, and asking is not allowed.
    case needsPrompt
    /// The secret is longer than `limit` bytes.
    case tooLarge(limit: Int)
    /// A secret that is not what Keyfob stored.
    case damaged
    /// The D-Bus error's name, never its message.
    case refused(String)
}

extension SecretServiceError {
    /// A search without attributes, or with an empty one, or a text with a zero in it.
    static let invalidArguments = SecretServiceError.refused("org.freedesktop.DBus.Error.InvalidArgs")
}
