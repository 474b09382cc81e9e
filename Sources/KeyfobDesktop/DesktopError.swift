package import KeyfobSecretService

/// What a vault whose records lie with the Secret Service cannot do, besides what goes wrong with files.
package enum DesktopError: Error, Equatable, Sendable {
    /// The service did not do what it was asked; whether a part of a change was made.
    case service(SecretServiceError, partly: Bool)
    /// There is no such thing where the service keeps the records; the words say why.
    case notOffered(String)
}
