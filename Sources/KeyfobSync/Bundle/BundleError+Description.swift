internal import KeyfobModel

extension BundleError: CustomStringConvertible {
    /// One sentence for people, that says which check or limit failed.
    package var description: String {
        switch self {
        case .wrongPassphrase: "the passphrase does not open the bundle"
        case .wrongIdentity: "the identity does not open the bundle"
        case .damagedFile(let fault): fault.description
        case .limitExceeded(let limit): limit.description
        case .outOfMemory: "there is not enough memory to test the passphrase"
        case .notJSON(let line, let problem):
            "line \(line) of the bundle is not a JSON object" + (problem.map { ": \($0.rawValue)" } ?? "")
        case .repeatedName(let line): "line \(line) of the bundle has a field twice"
        case .missingField(let line, let field): "line \(line) of the bundle has no '\(field.rawValue)'"
        case .badField(let line, let field): "line \(line) of the bundle has a wrong '\(field.rawValue)'"
        case .noManifest: "the file is not a Keyfob bundle: its first line is not a manifest"
        case .newerVersion(let major, let minor):
            "the bundle has the newer format version \(major).\(minor); this Keyfob reads"
                + " \(BundleManifest.formatVersion).\(BundleManifest.minorVersion)"
        case .wrongPurpose(let purpose): "the bundle was written for another purpose: \(purpose.rawValue)"
        case .unknownKind(let line): "line \(line) of the bundle is of no known kind"
        case .unlistedGroup(let line): "line \(line) of the bundle is of a group that its manifest does not list"
        case .notForPurpose(let line, let purpose):
            "line \(line) of the bundle holds what a bundle for \(purpose.rawValue) must not hold"
        case .repeatedRecord(let line): "line \(line) of the bundle is of an item that was there before"
        case .wrongOrder(let line): "line \(line) of the bundle belongs before the one that it follows"
        case .noEnd: "the bundle ends before its last line"
        case .dataBehindEnd(let line): "line \(line) of the bundle is behind its end"
        case .wrongCounts: "the bundle does not hold as many records as it says"
        case .wrongDigest: "the digest of the bundle is wrong: a line was altered, moved or lost"
        case .changedSinceVerified: "the bundle changed while it was read"
        case .noRecipients: "a bundle must be for somebody"
        }
    }

    /// The name of the case in documents.
    package var code: String {
        switch self {
        case .wrongPassphrase: "wrongPassphrase"
        case .wrongIdentity: "wrongIdentity"
        case .damagedFile: "damagedFile"
        case .limitExceeded: "limitExceeded"
        case .outOfMemory: "outOfMemory"
        case .notJSON: "notJSON"
        case .repeatedName: "repeatedName"
        case .missingField: "missingField"
        case .badField: "badField"
        case .noManifest: "noManifest"
        case .newerVersion: "newerVersion"
        case .wrongPurpose: "wrongPurpose"
        case .unknownKind: "unknownKind"
        case .unlistedGroup: "unlistedGroup"
        case .notForPurpose: "notForPurpose"
        case .repeatedRecord: "repeatedRecord"
        case .wrongOrder: "wrongOrder"
        case .noEnd: "noEnd"
        case .dataBehindEnd: "dataBehindEnd"
        case .wrongCounts: "wrongCounts"
        case .wrongDigest: "wrongDigest"
        case .changedSinceVerified: "changedSinceVerified"
        case .noRecipients: "noRecipients"
        }
    }
}

extension BundleError.AgeFault: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        switch self {
        case .header: "the file is not an age file, or its header is damaged"
        case .headerMAC: "the header of the age file was altered"
        case .armor: "the armor of the age file is damaged"
        case .payload: "the age file was altered, extended or cut short"
        case .truncated: "the age file ends early"
        }
    }
}

extension BundleError.Limit: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        switch self {
        case .fileSize(let limit): "the bundle is longer than \(limit) bytes"
        case .header(let limit): "the header of the age file is longer than \(limit) bytes"
        case .recipients(let limit): "the age file has more than \(limit) recipients"
        case .workFactor(let limit): "to test the passphrase would cost more than the work factor 2^\(limit)"
        case .records(let limit): "the bundle has more than \(limit) records"
        case .line(let limit, let line): "line \(line) of the bundle is longer than \(limit) bytes"
        case .depth(let limit, let line): "line \(line) of the bundle is more than \(limit) levels deep"
        case .values(let limit, let line): "line \(line) of the bundle has more than \(limit) values"
        }
    }
}
