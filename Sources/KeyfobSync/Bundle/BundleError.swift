internal import KeyfobAge
package import KeyfobModel

/// What can be wrong with a bundle, with what is to open it, or with what is to be written.
///
/// Lines are counted from 1, which is the manifest. No case carries anything that was secret.
package enum BundleError: Error, Hashable, Sendable {
    /// The passphrase is another, or the file is for recipients.
    case wrongPassphrase
    /// None of the identities opens the file, or it is for a passphrase.
    case wrongIdentity
    /// The age file was altered, cut or extended, or is none; ``AgeFault`` says where.
    case damagedFile(AgeFault)
    /// More than a limit allows.
    case limitExceeded(Limit)
    /// The memory for the passphrase's derivation cannot be had.
    case outOfMemory
    /// A line is not a JSON object; why, in words.
    case notJSON(line: Int, JSONError.Problem?)
    /// An object has a name twice.
    case repeatedName(line: Int)
    /// A field is missing.
    case missingField(line: Int, Field)
    /// A field is not what it must be.
    case badField(line: Int, Field)
    /// The first line is no manifest.
    case noManifest
    /// A newer Keyfob wrote the bundle, and this one does not understand it.
    case newerVersion(major: Int, minor: Int)
    /// The bundle is for another purpose.
    case wrongPurpose(BundlePurpose)
    /// A record, or what a tombstone is of, is of a kind that there is not.
    case unknownKind(line: Int)
    /// A record is of a group that is not in the manifest's list.
    case unlistedGroup(line: Int)
    /// A record may not be in a bundle of this purpose.
    case notForPurpose(line: Int, BundlePurpose)
    /// A record is of an item that was there before.
    case repeatedRecord(line: Int)
    /// A record belongs before the one that it follows.
    case wrongOrder(line: Int)
    /// The bundle ends before its last line.
    case noEnd
    /// Something follows the last line.
    case dataBehindEnd(line: Int)
    /// There are not as many records as the bundle says.
    case wrongCounts
    /// The digest in the last line is not the one of the lines before.
    case wrongDigest
    /// The bundle is not the one that was verified before.
    case changedSinceVerified
    /// A bundle was to be written for nobody.
    case noRecipients

    /// What of the age file is wrong.
    package enum AgeFault: String, Hashable, Sendable, CaseIterable {
        case header, headerMAC, armor, payload, truncated
    }

    /// A limit, and where one can say so, what exceeds it.
    package enum Limit: Hashable, Sendable {
        /// The file, in bytes.
        case fileSize(Int)
        /// The header of the age file, in bytes.
        case header(Int)
        /// The recipients.
        case recipients(Int)
        /// The base-two logarithm of the passphrase's work factor.
        case workFactor(Int)
        /// The records.
        case records(Int)
        /// A line, in bytes.
        case line(Int, number: Int)
        /// How deep a line's JSON is.
        case depth(Int, line: Int)
        /// The values of a line.
        case values(Int, line: Int)
    }
}

extension BundleError {
    /// What an age error amounts to for whoever came with a passphrase or with identities.
    init(_ error: AgeError, isPassphrase: Bool) {
        switch error {
        case .noMatch: self = isPassphrase ? .wrongPassphrase : .wrongIdentity
        case .headerMACMismatch: self = .damagedFile(.headerMAC)
        case .malformedHeader(.truncated), .malformedHeader(.missingNonce): self = .damagedFile(.truncated)
        case .malformedHeader: self = .damagedFile(.header)
        case .malformedArmor(.truncated): self = .damagedFile(.truncated)
        case .malformedArmor: self = .damagedFile(.armor)
        case .damagedPayload(.truncated): self = .damagedFile(.truncated)
        case .damagedPayload: self = .damagedFile(.payload)
        case .workFactorTooHigh(_, let limit): self = .limitExceeded(.workFactor(limit))
        case .headerTooLarge(let limit): self = .limitExceeded(.header(limit))
        case .tooManyRecipients(let limit): self = .limitExceeded(.recipients(limit))
        case .noRecipients: self = .noRecipients
        case .outOfMemory: self = .outOfMemory
        // These belong to key files and to whoever sets a limit there; none comes from a bundle.
        case .malformedIdentity, .noUsableIdentity, .tooManyIdentities: self = .wrongIdentity
        case .plaintextTooLarge(let limit): self = .limitExceeded(.fileSize(limit))
        case .stopped: self = .damagedFile(.payload)
        }
    }

    init(_ error: JSONError, line: Int) {
        switch error {
        case .tooLarge(let limit), .stringTooLong(let limit, _): self = .limitExceeded(.line(limit, number: line))
        case .tooManyValues(let limit): self = .limitExceeded(.values(limit, line: line))
        case .tooDeep(let limit, _): self = .limitExceeded(.depth(limit, line: line))
        case .malformed(let problem, _): self = .notJSON(line: line, problem)
        }
    }
}
