/// Why the history is not what it could be; never a reason to withhold a token.
package enum UsageProblem: Equatable, Sendable {
    /// The file is damaged; whether it could be moved to `usage.db.damaged`, so that a new one begins.
    case damaged(isMovedAside: Bool)
    /// So many blocks of events did not open; the next event that is noted drops them.
    case skipped(blocks: Int)
    /// The event is not noted, or nothing is cleared.
    case unwritable(reason: String)
    /// The system did not let it be read.
    case unreadable(reason: String)
    /// Another process held the file for too long.
    case busy
    /// A newer Keyfob wrote it; it is left alone.
    case newerVersion(found: Int)
    /// The file, or its folder, cannot be trusted; it is left alone.
    case unsafeFile(reason: String)
}

extension UsageProblem: CustomStringConvertible {
    /// One line, without a full stop.
    package var description: String {
        switch self {
        case .damaged(isMovedAside: true):
            "the history of accounts was damaged and is now usage.db.damaged; a new one begins"
        case .damaged(isMovedAside: false): "the history of accounts is damaged and cannot be moved aside"
        case .skipped(let blocks):
            "\(blocks) damaged \(blocks == 1 ? "part" : "parts") of the history of accounts left out"
        case .unwritable(let reason): "the history of accounts cannot be written: \(reason)"
        case .unreadable(let reason): "the history of accounts cannot be read: \(reason)"
        case .busy: "the history of accounts is in use by another process"
        case .newerVersion(let found): "the history of accounts has version \(found), which is newer than this Keyfob"
        case .unsafeFile(let reason): "the history of accounts is not used: \(reason)"
        }
    }
}
