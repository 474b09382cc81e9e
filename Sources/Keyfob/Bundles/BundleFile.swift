internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobSync

/// An encrypted file that is to be read: a bundle or a backup.
///
/// It is read twice: to its end before anything in it is believed, and once more for what is in it. A regular file
/// that changes in between is refused; of a pipe the ciphertext is kept, in a file without a name where it is long.
public struct BundleFile: ~Copyable {
    /// How long a file may be, in bytes.
    public static let limit = BundleLimits().size
    /// How many bytes of a file ``isBundle(_:)`` wants to see.
    public static let startCount = 64

    private let file: InputFile
    /// The file's name, for messages.
    public let name: String
    /// Whether a passphrase opens it; else an identity does.
    public let needsPassphrase: Bool

    /// Opens the file at `path`.
    ///
    /// - Parameter notice: Called where nothing comes through a pipe for a second.
    /// - Throws: `noSuchFile`, `configuration` for what is no file, `limitExceeded`, `inputOutput`.
    public init(path: String, notice: (() -> Void)? = nil) throws(KeyringError) {
        let opened = try Self.opened(path) { () throws(InputFile.Failure) in
            try InputFile(path: path, limit: Self.limit, isExpected: Self.isBundle, notice: notice)
        }
        needsPassphrase = try Self.isForPassphrase(opened, path)
        file = opened
        name = path
    }

    /// Reads from a descriptor that is open, such as standard input, and leaves it open.
    ///
    /// A pipe is read to its end, or until it is longer than 256 MiB.
    ///
    /// - Parameters:
    ///   - start: What has been read from it already, to see what it is.
    ///   - place: Where what comes from a long pipe is kept meanwhile, as it is, in a file without a name: a folder, or
    ///     the nearest one above it that is there; nil for `/var/tmp`.
    ///   - notice: Called where nothing comes through a pipe for a second.
    /// - Throws: as ``init(path:notice:)``; `diskFull`.
    public init(
        descriptor: CInt, name: String, after start: [UInt8] = [], spoolingIn place: String? = nil,
        notice: (() -> Void)? = nil
    ) throws(KeyringError) {
        let opened = try Self.opened(name) { () throws(InputFile.Failure) in
            try InputFile(
                descriptor: descriptor, after: start, limit: Self.limit, spoolingIn: place, isExpected: Self.isBundle,
                notice: notice)
        }
        needsPassphrase = try Self.isForPassphrase(opened, name)
        file = opened
        self.name = name
    }

    /// Whether a file that starts like this is an age file, binary or armored.
    public static func isBundle(_ start: [UInt8]) -> Bool {
        let text = start.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return start.starts(with: magic) || text.starts(with: armor)
    }

    /// The start of the file, at most 4,096 bytes.
    public borrowing func start() throws(KeyringError) -> [UInt8] {
        do {
            return try file.piece(at: 0, count: 4_096)
        } catch {
            throw KeyringError(error, name)
        }
    }

    private static let magic = Array("age-encryption.org/v1".utf8)
    private static let armor = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)

    private static func opened(
        _ name: String, _ open: () throws(InputFile.Failure) -> InputFile
    ) throws(KeyringError) -> InputFile {
        do {
            return try open()
        } catch {
            throw KeyringError(error, name)
        }
    }

    private static func isForPassphrase(_ file: borrowing InputFile, _ name: String) throws(KeyringError) -> Bool {
        do {
            return isForPassphrase(try file.piece(at: 0, count: 512))
        } catch {
            throw KeyringError(error, name)
        }
    }

    private static func isForPassphrase(_ start: [UInt8]) -> Bool {
        let wanted = magic + Array("\n-> scrypt ".utf8)
        if start.starts(with: wanted) { return true }
        let lines = start.split { $0 == 0x0A || $0 == 0x0D }
        guard isBundle(start), lines.count > 1, let header = Base64.standard.decode(lines[1].prefix(64)) else {
            return false
        }
        return header.starts(with: wanted)
    }

    /// Reads a file of a sync to its end and checks everything, and that what was read is what has this hash and size.
    ///
    /// - Returns: Nil where it is another file.
    borrowing func verify(
        _ opener: borrowing BundleOpener, hash: [UInt8], size: UInt64
    ) throws(KeyringError) -> VerifiedBundle? {
        var read: SyncFileHash? = SyncFileHash()
        let verified: VerifiedBundle
        do throws(KeyringError) {
            verified = try verify(opener, for: [.sync], hashing: &read)
        } catch {
            // What nobody signed may be wrong in any way.
            guard try syncHash() == (hash, size) else { return nil }
            throw error
        }
        guard let read, read.size == size, read.finish() == hash else { return nil }
        return verified
    }

    /// The hash and the size of the file.
    borrowing func syncHash() throws(KeyringError) -> (hash: [UInt8], size: UInt64) {
        var (hash, offset) = (SyncFileHash(), 0)
        do {
            while true {
                let piece = try file.piece(at: offset)
                if piece.isEmpty { break }
                hash.add(piece)
                offset += piece.count
            }
        } catch {
            throw KeyringError(error, name)
        }
        return (hash.finish(), UInt64(offset))
    }

    /// Reads the file to its end and checks everything.
    borrowing func verify(
        _ opener: borrowing BundleOpener, for purposes: Set<BundlePurpose>
    ) throws(KeyringError) -> VerifiedBundle {
        var hash: SyncFileHash?
        return try verify(opener, for: purposes, hashing: &hash)
    }

    private borrowing func verify(
        _ opener: borrowing BundleOpener, for purposes: Set<BundlePurpose>, hashing hash: inout SyncFileHash?
    ) throws(KeyringError) -> VerifiedBundle {
        let key = try opener.key()
        var offset = 0
        do {
            var fileKey: SecretBytes?
            let verified = try BundleReader.verify(key, for: purposes, keeping: &fileKey) {
                let piece = try file.piece(at: offset)
                offset += piece.count
                hash?.add(piece)
                return piece
            }
            try file.requireUnchanged()
            guard let fileKey = fileKey.take() else { throw BundleError.wrongIdentity }
            return VerifiedBundle(bundle: verified, key: .fileKey(fileKey))
        } catch {
            throw KeyringError(error, name)
        }
    }

    /// Reads a file that was verified once more, for its records.
    ///
    /// - Throws: `damaged` at the end, or before, where it is not what was verified; what `body` throws, as it is.
    borrowing func read(
        _ verified: borrowing VerifiedBundle, _ body: (ItemRecord, consuming SecretBytes?) throws -> Void
    ) throws {
        var offset = 0
        var failure: (any Error)?
        do {
            try BundleReader.read(
                verified.bundle, verified.key,
                from: {
                    let piece = try file.piece(at: offset)
                    offset += piece.count
                    return piece
                },
                { record, secret in
                    do {
                        try body(record, secret)
                    } catch {
                        failure = error
                        throw error
                    }
                })
            try file.requireUnchanged()
        } catch {
            throw failure ?? KeyringError(error, name)
        }
    }
}

/// A bundle that was read to its end and found right, and what opens it a second time without delay.
struct VerifiedBundle: ~Copyable {
    let bundle: BundleReader.Verified
    let key: BundleKey
}

extension KeyringError {
    /// What went wrong while a bundle was read.
    fileprivate init(_ error: any Error, _ name: String) {
        switch error {
        case InputFile.Failure.noSuchFile: self.init(.noSuchFile, "there is no file \(name)")
        case InputFile.Failure.notAFile: self.init(.configuration, "\(name) is not a file")
        case InputFile.Failure.tooLong(let limit):
            self.init(.limitExceeded, "\(name) is longer than \(limit) bytes, the most a bundle has")
        case InputFile.Failure.pipeTooLong(let limit):
            self.init(
                .limitExceeded,
                "\(name) is longer than \(limit) bytes, the most that is taken from a pipe: save it in a file first")
        case InputFile.Failure.changed: self.init(.damaged, "\(name) changed while it was read")
        case InputFile.Failure.noRoom(let folder):
            self.init(.diskFull, "there is no room in \(folder) for what comes from \(name)", advice: .makeRoom)
        case InputFile.Failure.silent(let seconds): self.init(silent: name, seconds: seconds)
        case InputFile.Failure.failed(let number):
            self.init(.inputOutput, "reading \(name) failed: \(Self.text(ofErrno: number))")
        case BundleError.wrongPurpose(.backup):
            self.init(
                .usage, "\(name) is a backup",
                advice: .restoreOrVerify)
        case BundleError.wrongPurpose(.export):
            self.init(.usage, "\(name) is an export and no backup", advice: .importBundle)
        case let error as BundleError:
            let known = KeyringError(error)
            self.init(known.code, "\(name): \(known.message)", advice: known.advice)
        default: self.init(error)
        }
    }
}
