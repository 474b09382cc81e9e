internal import Glibc
internal import KeyfobModel

/// The history of token uses: a folder of files to which sealed records of one size are added, and nothing else.
///
/// Nobody waits for a note of a use: nothing is locked for long or brought to the disk, nothing here throws, and what cannot be
/// written is not noted. The last second may be lost with the power.
///
/// A series of records has a file for each fifteen days, `SERIES.NUMBER`, so that old ones can be removed without a look into
/// them. One that is full gives way to a new one and is then called `SERIES.NUMBER.1`. Where a file stands in the folder's place,
/// nothing is kept; where anything else does that is no folder of the user's alone, nothing is noted, read or removed.
package struct UseFolder: Sendable {
    /// The length of a record in bytes: a write of one is never parted by another.
    package static let recordCount = 512
    /// For how many days uses are shown.
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
        // More than it may write would end this process, whoever else's it is.
        guard record.count == Self.recordCount, time >= 0, Self.mayWrite, isThere() else { return false }
        let number = time / Self.period
        let file = "\(series).\(number)"
        for _ in 0..<3 {
            let descriptor = unsafe openat(
                AT_FDCWD, "\(path)/\(file)",
                O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            guard let status = try? POSIXFile.Status(of: descriptor), status.isRegularFile, status.linkCount == 1,
                (try? status.requireOwnAndPrivate(file)) != nil
            else { return false }
            if status.size >= Self.limit {
                if giveWay(file, descriptor) { continue }
                // Somebody else is about it.
                guard status.size < 2 * Self.limit else { continue }
            }
            if status.size == 0, let folder = OwnFolder(path) { removeOldest(before: number - 2, in: folder) }
            var bytes = record
            if status.size % Int64(Self.recordCount) != 0 {
                // A part of a record becomes one that does not open. Two that fill it up would part all that follow.
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let now = try? POSIXFile.Status(of: descriptor) else {
                    continue
                }
                let rest = Int(now.size % Int64(Self.recordCount))
                if rest > 0 { bytes = [UInt8](repeating: 0, count: Self.recordCount - rest) + record }
            }
            return unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) } == bytes.count
        }
        return false
    }

    /// Whether the folder is there by now, and is one of the user's alone.
    ///
    /// It is not held open, which would cost a quarter of a note: who could put another in its place meanwhile is the user.
    private func isThere() -> Bool {
        guard let status = FileAccess.status(path, following: false) else {
            return unsafe mkdir(path, 0o700) == 0 || errno == EEXIST
        }
        return status.isDirectory && status.isOwn && status.permissions & 0o077 == 0
    }

    /// Gives the file its other name, unless another process does.
    private func giveWay(_ file: String, _ descriptor: CInt) -> Bool {
        // Ends with the descriptor. Whoever comes later finds another file under the name.
        guard let folder = OwnFolder(path), flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        var (own, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0,
            unsafe fstatat(folder.descriptor, file, &named, AT_SYMLINK_NOFOLLOW) == 0
        else { return true }
        guard own.st_ino == named.st_ino, own.st_dev == named.st_dev else { return true }
        return unsafe renameat(folder.descriptor, file, folder.descriptor, file + ".1") == 0
    }

    /// Whether this process may write files as long as any here.
    private static var mayWrite: Bool {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return false }
        return limit.rlim_cur >= UInt64(2 * Self.limit + 65_536)
    }

    /// Removes the oldest fifteen days of those before a number: a clock that is wrong for a while takes no more.
    private func removeOldest(before number: Int64, in folder: borrowing OwnFolder) {
        let old = folder.names().compactMap { name in Self.parts(of: name).map { (name, $0.number) } }
        guard let oldest = old.map({ $0.1 }).min(), oldest < number else { return }
        for (name, found) in old where found == oldest { folder.remove(name) }
    }

    /// What the name of a file tells; nil for a name of another form.
    private static func parts(of name: String) -> (group: String, epoch: Int64, number: Int64)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 && parts[3] == "1", parts[0].utf8.count == 32,
            parts[0].utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }),
            let epoch = Int64(digits: parts[1].utf8), let number = Int64(digits: parts[2].utf8)
        else { return nil }
        return (String(parts[0]), epoch, number)
    }

    // MARK: Reading

    /// The records of a series that may be younger than ``days`` at `time`, each file's in the order in which they were added;
    /// and how many parts of some there are, and files that cannot be read.
    package func records(of series: String, at time: Int64) -> (records: [[UInt8]], unreadable: Int) {
        guard let folder = OwnFolder(path) else { return ([], 0) }
        var (records, unreadable) = ([[UInt8]](), 0)
        let now = time / Self.period
        for number in max(0, now - 2)...max(0, now + 1) {
            let name = "\(series).\(number)"
            // One that gives way meanwhile is read under one name at least.
            var newer = folder.read(name, limit: Self.longest)
            let older = folder.read(name + ".1", limit: Self.longest)
            if let file = newer.file, file == older.file { newer = folder.read(name, limit: Self.longest) }
            for content in [older, newer] {
                if content.isUnreadable { unreadable += 1 }
                var start = 0
                while content.bytes.count - start >= Self.recordCount {
                    records.append(Array(content.bytes[start..<start + Self.recordCount]))
                    start += Self.recordCount
                }
                if start < content.bytes.count { unreadable += 1 }
            }
        }
        return (records, unreadable)
    }

    private static var longest: Int { Int(2 * limit) + recordCount }

    /// Removes the oldest of what is too old at `time`, and what turning it off has left.
    package func prune(at time: Int64) {
        if let folder = OwnFolder(path) { removeOldest(before: time / Self.period - 2, in: folder) }
        _ = removeRest()
    }

    // MARK: Setting

    /// Whether uses are noted, unless there is an ``obstacle``.
    package var isOn: Bool { FileAccess.status(path, following: false)?.isRegularFile != true }

    /// What is in the way of noting, as words behind the path; nil where nothing is, or it is off.
    package var obstacle: (path: String, reason: String)? {
        guard isOn, let status = FileAccess.status(path, following: false) else { return nil }
        guard status.isDirectory else { return (path, "is no folder") }
        guard status.isOwn else { return (path, "belongs to another user") }
        guard status.permissions & 0o077 == 0 else { return (path, "is open to others; chmod 0700 it") }
        return unsafe access(path, R_OK | W_OK | X_OK) == 0 ? nil : (path, "cannot be written; chmod 0700 it")
    }

    /// Removes what was noted, and notes nothing any more.
    ///
    /// - Returns: A folder that is left, because there is something else in it.
    /// - Throws: `inputOutput`, `notWritable`, `diskFull`.
    @discardableResult
    package func turnOff() throws(StorageFailure) -> String? {
        // Whoever notes something may make the folder again in between.
        for attempt in 1...100 where isOn {
            if try POSIXFile.status(path) != nil {
                let aside = try POSIXFile.unusedName("\(path).off-\(getpid())")
                guard unsafe rename(path, aside) == 0 || errno == ENOENT else { throw POSIXFile.failure() }
                if FileAccess.status(aside, following: false)?.isDirectory == false { try POSIXFile.remove(aside) }
            }
            do throws(StorageFailure) { try POSIXFile.createExclusively(path) } catch {
                guard isOn, FileAccess.status(path, following: false) != nil, attempt < 100 else { throw error }
            }
        }
        return removeRest()
    }

    /// Removes the folders that turning it off has put aside.
    ///
    /// - Returns: One that is left.
    private func removeRest() -> String? {
        let parent = POSIXFile.folder(of: path)
        let beginning = "uses.off-"
        var left: String?
        for name in (try? POSIXFile.names(in: parent)) ?? [] where name.hasPrefix(beginning) {
            guard name.dropFirst(beginning.count).utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else {
                continue
            }
            let aside = "\(parent)/\(name)"
            if let folder = OwnFolder(aside) {
                for name in folder.names() where Self.parts(of: name) != nil { folder.remove(name) }
            }
            if unsafe rmdir(aside) != 0, errno != ENOENT { left = aside }
        }
        return left
    }

    /// Notes uses from now on.
    ///
    /// - Throws: As ``turnOff()``.
    package func turnOn() throws(StorageFailure) {
        if !isOn { try POSIXFile.remove(path) }
    }

    // MARK: Old keys

    /// The files of a group, or those of its keys before an epoch.
    package func files(of group: String, before epoch: UInt32? = nil) -> [String] {
        guard let folder = OwnFolder(path) else { return [] }
        return names(of: group, before: epoch, in: folder).map { "\(path)/\($0)" }
    }

    /// Removes them, as far as that is possible.
    package func clear(of group: String, before epoch: UInt32? = nil) {
        guard let folder = OwnFolder(path) else { return }
        for name in names(of: group, before: epoch, in: folder) { folder.remove(name) }
    }

    private func names(of group: String, before epoch: UInt32?, in folder: borrowing OwnFolder) -> [String] {
        folder.names().filter { name in
            Self.parts(of: name).map { $0.group == group && $0.epoch < epoch.map(Int64.init) ?? .max } ?? false
        }.sorted()
    }
}
