internal import Keyfob

/// What MSAL is told of a failure.
///
/// It goes on to the sign-in after `interactionRequired` and `accountUnusable` alone.
enum BrokerStatus: Int, CaseIterable, Sendable {
    case unexpected = 0
    case interactionRequired = 2
    case noNetwork = 3
    case networkForNow = 4
    case serverForNow = 5
    case contractViolation = 6
    case userCancelled = 7
    case applicationCancelled = 8
    case configuration = 9
    case untrustedAuthority = 11
    case accountUnusable = 13
    case transient = 15
    case deviceNotRegistered = 17
    case noAccount = 19

    /// The status of an error; docs/broker.md has the same table.
    ///
    /// - Parameter namesAccount: Whether the program said whose token it wants.
    init(_ code: KeyringError.Code, namesAccount: Bool) {
        self =
            switch code {
            case .signInNeeded, .ambiguous, .scopesDeclined: .interactionRequired
            case .noSuchAccount: namesAccount ? .noAccount : .interactionRequired
            case .otherAccount: .accountUnusable
            case .cancelled: .userCancelled
            case .notPermitted: .applicationCancelled
            case .usage, .limitExceeded: .contractViolation
            case .offline: .networkForNow
            case .throttled: .serverForNow
            case .noSuchProvider, .untrustedCertificate: .untrustedAuthority
            case .policyNotMet: .deviceNotRegistered
            case .locked, .busy: .transient
            case .noSuchClient, .noSuchGroup, .groupNotGranted, .needsVaultKey, .noVault, .unavailable, .configuration,
                .notOffered, .hostNotAllowed, .proofNeeded, .newerVersion, .unknownVault, .rolledBack, .wrongKey:
                .configuration
            case .noSuchSlot, .noSuchBinding, .noSuchEntry, .notUndoable, .damaged, .noSuchFile, .alreadyExists,
                .inputOutput,
                .diskFull, .lastSlot, .providerFailed, .requestRefused, .unconfirmed, .fault:
                .unexpected
            }
    }
}

/// Why a request is not served, as MSAL is told.
struct BrokerRefusal: Error, Equatable, Sendable {
    let status: BrokerStatus
    /// One line, for people.
    let text: String

    /// A reason.
    init(_ status: BrokerStatus, _ text: String) { (self.status, self.text) = (status, text) }

    /// An error as its reason.
    ///
    /// - Parameter words: What people read of the error.
    init(_ error: KeyringError, namesAccount: Bool, words: (KeyringError) -> String) {
        self.init(BrokerStatus(error.code, namesAccount: namesAccount), words(error))
    }

    static func malformed(_ what: String) -> BrokerRefusal { BrokerRefusal(.contractViolation, "the request: \(what)") }

    static let needsDevice = BrokerRefusal(
        .deviceNotRegistered, "Keyfob has no key of this device: it signs no requests and gives no cookies of sign-ins")
}
