package import KeyfobModel

/// What can go wrong between the vault's format and the disk.
package enum StoreError: Error, Equatable, Sendable {
    /// There is no vault at this path.
    case noVault(path: String)
    /// There is a vault, or something else, at this path already.
    case alreadyThere(path: String)
    /// The path cannot be trusted; the reason says what to change.
    case unsafePath(path: String, reason: String)
    /// The file system cannot hold a live database.
    case unsuitableFileSystem(path: String, name: String)
    /// The file is not a Keyfob database.
    case notAVault(path: String)
    /// The database was written by a newer Keyfob.
    case newerSchema(found: Int, supported: Int)
    /// The database holds tables, views, indices or triggers that are not Keyfob's, or lacks some that are; the words
    /// name the first. Where it can be mended, `VaultDatabase.mendSchema` does it.
    case foreignSchema(words: String, isMendable: Bool)
    /// The database, or the named part of it, is damaged.
    case damaged(what: String)
    /// Another process held the database for too long.
    case busy
    /// The disk is full; the old state is intact.
    case diskFull
    /// The disk or its permissions refuse to write; the old state is intact.
    case notWritable
    /// The system failed to read or write; `errno` is its reason, 0 where SQLite does not tell.
    case inputOutput(errno: CInt)
    /// What was to be written is there, and the disk did not confirm that it lasts; `errno` as above.
    case unconfirmed(errno: CInt)
    /// A manifest or a count tells of records that are not there, or the other way round.
    case incomplete(group: GroupID)
    /// The database has been taken back to an earlier state.
    case rolledBack(group: GroupID?)
    /// Another group of the vault has this name.
    case groupExists
    /// A record was sealed with a newer key of its group than this process has read.
    case staleKeys
    /// No such item.
    case notFound
    /// The records have been moved to another place since the vault was opened.
    case movedAway
    /// An SQL error that should not happen; SQLite's result code, without any argument.
    case unexpected(resultCode: Int)
}

// What is thrown on the way to a stored token. Embedded Swift, of which the front is made, has no `any Error`: there it
// is one type. The front asks only whether something was thrown, and then hands on.
#if hasFeature(Embedded)
package typealias StorageFailure = StoreError
#else
package typealias StorageFailure = any Error
#endif

extension Error {
    /// The error as it is thrown on the way to a stored token.
    package var onTheWay: StorageFailure {
        #if hasFeature(Embedded)
        .unexpected(resultCode: 0)
        #else
        self
        #endif
    }
}
