internal import KeyfobFiles

#if canImport(Glibc)
internal import Glibc
#endif

extension KeyringError {
    init(_ error: StoreError) {
        switch error {
        case .noVault(let path):
            self.init(.noVault, "there is no vault at \(path)", advice: .createVault)
        case .alreadyThere(let path):
            self.init(.alreadyExists, "\(path) exists already")
        case .unsafePath(let path, let reason):
            self.init(.configuration, "\(path) cannot be trusted: \(reason)")
        case .unsuitableFileSystem(let path, let name):
            self.init(
                .configuration, "\(path) is on \(name), where a live database loses data",
                advice: .useLocalDisk)
        case .notAVault(let path):
            self.init(.damaged, "\(path) is a database, but not Keyfob's", advice: .nameVault)
        case .newerSchema(let found, let supported):
            self.init(
                .newerVersion, "the vault has format \(found), this Keyfob writes \(supported)",
                advice: .update(isReadable: true))
        case .foreignSchema(let words, let isMendable):
            self.init(
                .damaged, "keyring.db holds \(words), and nothing was read from it",
                advice: isMendable ? .mendSchema : .replaceVault)
        case .damaged(let what):
            self.init(.damaged, "\(what) is damaged", advice: .diagnose(.nothingChanged))
        case .busy:
            self.init(.busy, "another process has held the vault for 5 seconds", advice: .tryAgain(.none))
        case .diskFull:
            self.init(.diskFull, "the disk is full", advice: .makeRoom)
        case .notWritable:
            self.init(.inputOutput, "the vault, or its folder, cannot be written", advice: .diagnose(.none))
        case .inputOutput(let number):
            self.init(.inputOutput, "reading or writing the vault failed\(Self.reason(number))")
        case .unconfirmed(let number):
            self.init(
                .unconfirmed,
                "it was written, but the disk does not confirm it\(Self.reason(number)): after a power failure it may be gone",
                advice: .diagnose(.none))
        case .incomplete:
            self.init(
                .damaged, "a record is not what the vault wrote last: it is missing, was added, or is an older version",
                advice: .verifyAndRestore)
        case .rolledBack:
            self.init(.rolledBack, "the vault has been taken back to an earlier state")
        case .groupExists:
            self.init(.alreadyExists, "a group of that name exists already", advice: .listGroups)
        case .staleKeys:
            self.init(.damaged, "a record or manifest was sealed with a key that the vault does not have")
        case .notFound:
            self.init(.noSuchAccount, "there is no such account in that group")
        case .movedAway:
            self.init(
                .busy, "the vault's records have been moved to another place meanwhile; nothing was written",
                advice: .openAgain)
        case .unexpected(let code):
            self.init(.fault, "SQLite failed with code \(code)")
        }
    }

    /// The disk that a file is written to has no room.
    ///
    /// - Parameters:
    ///   - path: The file; its folder alone with a slash.
    ///   - result: What has become of it, such as `out.age was not made`.
    package static func diskFull(writing path: String, _ result: String) -> KeyringError {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return KeyringError(
            .diskFull, "the disk of \(FileAccess.realPath(folder) ?? folder) is full: \(result)", advice: .makeRoom)
    }

    /// An error of a keyring, with what has become of the vault where that is known.
    ///
    /// - Parameter directory: Where it is, which says what keeps it from being written.
    init(_ error: any Error, hasChanged: Bool?, in directory: VaultDirectory) {
        let plain = KeyringError(error, in: directory)
        switch (error as? StoreError, hasChanged) {
        case (.diskFull, false), (.notWritable, false), (.inputOutput, false):
            self.init(plain.code, plain.message + "; the vault is as it was before", advice: plain.advice)
        case (.diskFull, true), (.notWritable, true), (.inputOutput, true):
            self.init(plain.code, plain.message + "; what was changed until then stays changed", advice: plain.advice)
        default: self = plain
        }
    }

    /// An error of a vault in a folder, which says what keeps it from being written.
    init(_ error: any Error, in directory: VaultDirectory) {
        switch error {
        case StoreError.diskFull:
            self.init(.diskFull, "the disk of \(directory.path) is full", advice: .makeRoom)
        case StoreError.notWritable: self = Self.unwritable(directory) ?? KeyringError(error)
        default: self.init(error)
        }
    }

    /// The error of a step that others build on: what the disk does not confirm counts as not done.
    package var asNotDone: KeyringError {
        code == .unconfirmed ? KeyringError(.inputOutput, "the disk does not confirm what is written to it") : self
    }

    private static func reason(_ number: CInt) -> String {
        guard number == 0 else { return ": " + text(ofErrno: number) }
        // What SQLite did after the call that failed may have hidden why it did.
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur != .max else {
            return ""
        }
        return ": this process may write no file of more than \(limit.rlim_cur >> 10) KB, which may be why; "
            + "raise the limit ('ulimit -f') and try again"
    }

    /// That no further process can be made.
    ///
    /// - Parameter number: What fork(2) said of it.
    package init(noFurtherProcess number: CInt) {
        self.init(
            .unavailable,
            number == EAGAIN
                ? "no further process may be started; end some, or raise the limit ('ulimit -u'), and try again"
                : "no further process can be started: \(Self.text(ofErrno: number))")
    }

    /// What the system says of one of its errors.
    package static func text(ofErrno number: CInt) -> String {
        // setrlimit(2): mostly not the file system's own limit.
        if number == EFBIG {
            return "this process may not write a file of that size; raise the limit ('ulimit -f') and try again"
        }
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }
}
