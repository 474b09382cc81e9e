package import KeyfobSecretService

/// What a vault whose records lie with the Secret Service cannot do, besides what goes wrong with files.
package enum DesktopError: Error, Equatable, Sendable {
    /// The service did not do what it was asked; whether a part of a change was made.
    case service(SecretServiceError, partly: Bool)
    /// The same, where what it did not do is left from an earlier change, which has to be completed before anything else is
    /// changed.
    case pending(SecretServiceError)
    /// There is no such thing where the service keeps the records; the words say why.
    case notOffered(String)

    /// Whether it is a change that was stopped and that the service refuses, so that only a repair is left.
    package var isRefusedChange: Bool {
        if case .pending(let reason) = self { reason.isRefusal } else { false }
    }

    /// Whether another attempt may end otherwise.
    var isOfService: Bool {
        switch self {
        case .service(.tooLarge, _), .service(.damaged, _), .service(.noItem, _), .notOffered: false
        case .service, .pending: true
        }
    }
}

extension SecretServiceError {
    /// Whether the service does not take what it was given, and another attempt ends the same.
    var isRefusal: Bool {
        switch self {
        case .refused, .tooLarge: true
        default: false
        }
    }
}
