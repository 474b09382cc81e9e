internal import Keyfob

/// The statuses with which the command ends (`sysexits.h` from 64 on).
enum ExitStatus: Int32 {
    case done = 0
    case failure = 1
    case signInNeeded = 10
    case ambiguous = 11
    case locked = 12
    case notFound = 13
    case scopesDeclined = 14
    case cancelled = 15
    case usage = 64
    case malformed = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case noPermission = 77
    case configuration = 78
    /// A program that was to run is there and cannot be started, as shells have it.
    case notRunnable = 126
    /// A program that was to run is not there, as shells have it.
    case noProgram = 127

    /// The status for an error.
    init(_ code: KeyringError.Code) {
        switch code {
        case .signInNeeded: self = .signInNeeded
        case .ambiguous: self = .ambiguous
        case .locked: self = .locked
        case .noSuchAccount, .noSuchGroup, .noSuchSlot, .noSuchBinding, .noSuchEntry, .noSuchProvider, .noSuchClient:
            self = .notFound
        case .scopesDeclined: self = .scopesDeclined
        case .cancelled: self = .cancelled
        case .usage, .lastSlot: self = .usage
        case .damaged, .limitExceeded, .rolledBack, .unknownVault, .newerVersion: self = .malformed
        case .noVault, .noSuchFile: self = .noInput
        case .unavailable, .providerFailed, .untrustedCertificate: self = .unavailable
        case .alreadyExists: self = .cannotCreate
        case .inputOutput, .diskFull, .unconfirmed: self = .inputOutput
        case .busy, .offline, .throttled: self = .tryAgain
        case .wrongKey, .groupNotGranted, .needsVaultKey, .hostNotAllowed, .policyNotMet, .notPermitted,
            .proofNeeded:
            self = .noPermission
        case .configuration, .notOffered: self = .configuration
        case .fault, .otherAccount, .requestRefused, .notUndoable: self = .failure
        }
    }
}
