internal import Glibc
internal import KeyfobModel

/// The history of token uses: a folder of files to which sealed records of one size are added, and nothing else.
///
/// A token is on its way when its use is noted, and nobody waits for that: nothing is locked or brought to the disk, nothing here
/// throws, and what cannot be written is not noted. The last second may be lost with the power.
///
/// A series of records has a file for each fifteen days, `SERIES.NUMBER`, so that old ones can be removed without a look into
/// them. One that is full gives way to a new one and is then called `SERIES.NUMBER.1`. Where a file stands in the folder's place,
/// nothing is kept.
package struct UseFolder: Sendable {
    /// The length of a record in bytes: a write of one is never parted by another.
    package static let recordCount = 512
    /// For how many days uses are kept.
    package static let days: Int64 = 30
    /// How many bytes a file has before it gives way.
    private static let limit: Int64 = 1 << 20
    /// For how many seconds a file is added to.
    private static let period: Int64 = days / 2 * 86_400

    private let path: String

    /// The history of the vault in a folder.
    package init(_ directory: VaultDirectory) { path = directory.uses }

    // MARK: Adding

    /// Adds a record, unless something is in the way.
    ///
    /// - Returns: Whether it was written.
    @discardableResult
    package func append(_ record: [UInt8], to series: String, at time: Int64) -> Bool {
        guard record.count == Self.recordCount, time >= 0, isReady() else { return false }
        let number = time / Self.period
        let file = name(series, number)
        for _ in 0..<3 {
            let descriptor = unsafe open(
                file, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            guard let status = try? POSIXFile.Status(of: descriptor), status.isRegularFile, status.linkCount == 1,
                (try? status.requireOwnAndPrivate(file)) != nil
            else { return false }
            let isWhole = status.size % Int64(Self.recordCount) == 0
            if !isWhole || status.size >= Self.limit {
                if giveWay(file, descriptor) { continue }
                // Somebody else is about it. What is added behind a part of a record nobody could read.
                guard isWhole, status.size < 2 * Self.limit else { continue }
            }
            if status.size == 0 { removeOld(before: number - 2) }
            guard Self.mayReach(status.size + Int64(Self.recordCount)) else { return false }
            return unsafe record.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) } == record.count
        }
        return false
    }

    /// Whether the folder is there, made now where nothing is, and is its owner's alone.
    private func isReady() -> Bool {
        guard let status = FileAccess.status(path, following: false) else { return unsafe mkdir(path, 0o700) == 0 }
        return status.isDirectory && status.isOwn && status.permissions & 0o077 == 0
    }

    /// Gives the file its other name, unless another process does.
    private func giveWay(_ file: String, _ descriptor: CInt) -> Bool {
        // Ends with the descriptor. Whoever comes later finds another file under the name.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        var (own, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0, unsafe lstat(file, &named) == 0 else { return true }
        guard own.st_ino == named.st_ino, own.st_dev == named.st_dev else { return true }
        return unsafe rename(file, file + ".1") == 0
    }

    /// Whether this process may write so far: more would end it.
    private static func mayReach(_ size: Int64) -> Bool {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return false }
        return limit.rlim_cur >= UInt64(size)
    }

    private func removeOld(before number: Int64) {
        for name in (try? POSIXFile.names(in: path)) ?? [] {
            guard let found = Self.number(of: name), found < number else { continue }
            unsafe unlink(path + "/" + name)
        }
    }

    private func name(_ series: String, _ number: Int64) -> String { "\(path)/\(series).\(number)" }

    /// Which fifteen days a file is about; nil for a name of another form.
    private static func number(of name: String) -> Int64? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 && parts[3] == "1" else { return nil }
        return Int64(digits: parts[2].utf8)
    }

    // MARK: Reading

    /// The records of a series that may be younger than ``days`` at `time`, each file's in the order in which they were added;
    /// and how many parts of some there are.
    package func records(of series: String, at time: Int64) -> (records: [[UInt8]], parts: Int) {
        var (records, parts) = ([[UInt8]](), 0)
        let now = time / Self.period
        for number in max(0, now - 2)...max(0, now + 1) {
            for name in [name(series, number) + ".1", name(series, number)] {
                let limit = Int(2 * Self.limit) + Self.recordCount
                guard case .bytes(let bytes, let status) = FileAccess.read(name, limit: limit, following: false) else {
                    continue
                }
                guard status.isOwn else { continue }
                var start = 0
                while bytes.count - start >= Self.recordCount {
                    records.append(Array(bytes[start..<start + Self.recordCount]))
                    start += Self.recordCount
                }
                if start < bytes.count { parts += 1 }
            }
        }
        return (records, parts)
    }

    /// Removes what is too old at `time`.
    package func prune(at time: Int64) { removeOld(before: time / Self.period - 2) }

    // MARK: Setting

    /// Whether uses are noted.
    package var isOn: Bool { FileAccess.status(path, following: false)?.isRegularFile != true }

    /// Removes what was noted, and notes nothing any more.
    ///
    /// - Throws: `inputOutput`, `notWritable`, `diskFull`.
    package func turnOff() throws(StorageFailure) {
        guard isOn else { return }
        try clear()
        try POSIXFile.removeFolder(path)
        try POSIXFile.createExclusively(path)
    }

    /// Notes uses from now on.
    ///
    /// - Throws: As ``turnOff()``.
    package func turnOn() throws(StorageFailure) {
        if !isOn { try POSIXFile.remove(path) }
    }

    /// Removes what was noted of some series, or of all.
    ///
    /// - Throws: As ``turnOff()``.
    package func clear(of series: [String]? = nil) throws(StorageFailure) {
        guard FileAccess.status(path, following: false)?.isDirectory == true else { return }
        for name in try POSIXFile.names(in: path) where Self.number(of: name) != nil {
            guard series?.contains(where: { name.hasPrefix($0 + ".") }) ?? true else { continue }
            try POSIXFile.remove(path + "/" + name)
        }
    }
}
