/// What can be wrong with an age file, with what is to open it, or with what is to be written.
///
/// The classes of the published test vectors are told apart; see ``vectorClass``. No case carries
/// anything that was secret.
package enum AgeError: Error, Equatable, Sendable {
    /// The header is well-formed, but no stanza opens with the identities or passphrase given.
    ///
    /// A wrong passphrase and a stanza that was altered cannot be told apart.
    case noMatch
    /// The file key was found, but the header is not the one that was written with it.
    case headerMACMismatch
    /// The header is not what the specification's grammar and recipient types allow.
    case malformedHeader(HeaderFlaw)
    /// The ASCII armor is not canonical.
    case malformedArmor(ArmorFlaw)
    /// The payload was altered, cut or extended; chunks handed out before were authentic.
    case damagedPayload(PayloadFlaw)
    /// Testing the passphrase would cost more than ``Age/acceptedWorkFactor``; nothing was computed.
    ///
    /// Both numbers are base-two logarithms; `given` is `Int.max` where it does not fit.
    case workFactorTooHigh(given: Int, limit: Int)
    /// The header goes on past `limit` bytes.
    case headerTooLarge(limit: Int)
    /// More stanzas in a header, or more recipients for a new one, than `limit`.
    case tooManyRecipients(limit: Int)
    /// A file was to be written for nobody.
    case noRecipients
    /// A line of an identity file, counted from 1, is not an identity; 0 where there is none at all.
    case malformedIdentity(line: Int)
    /// An identity file holds others than can be used here, and no more.
    case noUsableIdentity([UnusableIdentity])
    /// More identities in a file than `limit`.
    case tooManyIdentities(limit: Int)
    /// The plaintext is longer than the `limit` in bytes that the caller set.
    case plaintextTooLarge(limit: Int)
    /// The memory that the work factor asks for cannot be had.
    case outOfMemory
    /// The closure that takes the plaintext gave up; why, it knows itself.
    case stopped

    /// The `expect` value of the published vectors (C2SP CCTV/age) that this error amounts to, or
    /// `"none"` for what no vector can show.
    package var vectorClass: String {
        switch self {
        case .noMatch: "no match"
        case .headerMACMismatch: "HMAC failure"
        case .malformedHeader, .workFactorTooHigh, .headerTooLarge, .tooManyRecipients: "header failure"
        case .malformedArmor: "armor failure"
        case .damagedPayload: "payload failure"
        case .noRecipients, .malformedIdentity, .noUsableIdentity, .tooManyIdentities, .plaintextTooLarge, .outOfMemory,
            .stopped:
            "none"
        }
    }
}
