internal import CSQLite
internal import KeyfobFiles

extension StoreError {
    /// What the result code means with which SQLite ends a transaction that should be made.
    ///
    /// - Parameter number: What the system said of it last (`sqlite3_system_errno`).
    init(commitResultCode code: Int32, errno number: CInt = 0) {
        // A transaction is made once its journal is gone; then its folder is brought to the disk, and locks are let go.
        // SQLITE_IOERR_DIR_FSYNC; SQLITE_IOERR_UNLOCK and _RDLOCK, which unlocking alone ends with.
        if [5, 8, 9].contains(where: { code == SQLITE_IOERR | $0 << 8 }) {
            self = .unconfirmed(errno: 0)
        } else {
            self.init(resultCode: code, errno: number)
        }
    }

    /// What an extended result code of SQLite means here.
    ///
    /// - Parameter number: What the system said of it last (`sqlite3_system_errno`); 0 where that is not known.
    init(resultCode: Int32, errno number: CInt = 0) {
        switch resultCode & 0xFF {
        case SQLITE_CORRUPT, SQLITE_FORMAT, SQLITE_NOTADB: self = .damaged(what: "keyring.db")
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_FULL: self = .diskFull
        case SQLITE_READONLY, SQLITE_PERM: self = .notWritable
        case SQLITE_IOERR, SQLITE_CANTOPEN: self = .inputOutput(errno: number)
        // A damaged schema or a row that breaks a constraint is damage too: Keyfob's own statements
        // keep every constraint.
        case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA: self = .damaged(what: "keyring.db")
        default: self = .unexpected(resultCode: Int(resultCode))
        }
    }
}
