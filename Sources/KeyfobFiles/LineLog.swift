internal import Glibc

/// A file to which whole lines are added, each made in view of the last ones, and that gives way to a new one when it is large.
///
/// What gave way is called as the file with `.1`, `.2`… behind it, the newest first.
package struct LineLog: Sendable {
    /// How many bytes a file has before it gives way, unless another number is said.
    package static let limit = 1 << 20
    /// How many that gave way are kept.
    package static let kept = 5
    /// No line is longer.
    private static let longest = 1 << 16

    /// The file.
    package let path: String

    /// How many bytes the file has before it gives way.
    private let limit: Int
    /// How many bytes of a file are read.
    private var readable: Int { 2 * limit }

    /// The log in a file, which is made with its folder where it is missing.
    ///
    /// - Parameter limit: How many bytes the file has before it gives way; at least twice those of a line.
    package init(path: String, limit: Int = Self.limit) { (self.path, self.limit) = (path, limit) }

    /// Adds the line that `make` makes in view of the last ones there are; nobody else adds one meanwhile.
    ///
    /// - Parameters:
    ///   - beforeGivingWay: Called before the file gives way to a new one, which begins with the line that was made last. Where it
    ///     throws, the file goes on as long as it can still be read.
    ///   - make: Gets the last lines, without their ends, at least one where there is any; gives the new one without an end.
    /// - Returns: Whether the file gave way to a new one before.
    /// - Throws: `busy`, `inputOutput`, `notWritable`, `diskFull`; what `make` throws.
    @discardableResult
    package func append(
        beforeGivingWay: () throws -> Void = {}, _ make: (_ last: [[UInt8]]) throws -> [UInt8]
    ) throws -> Bool {
        try POSIXFile.createDirectories(POSIXFile.folder(of: path))
        let lock = try FileLock(path + ".lock")
        let (last, size, isWhole) = try end()
        let line = try make(last)
        var gaveWay = size > 0 && size + line.count >= limit
        if gaveWay {
            do { try beforeGivingWay() } catch {
                guard size + line.count + 2 <= readable else { throw error }
                gaveWay = false
            }
        }
        if gaveWay { try giveWay() }
        // What a crash has cut short stays a line of its own.
        let start: [UInt8] = isWhole || gaveWay ? [] : [UInt8(ascii: "\n")]
        try POSIXFile.append(start + line + [UInt8(ascii: "\n")], to: path)
        _ = consume lock
        return gaveWay
    }

    /// All lines there are, the oldest first, without their ends.
    ///
    /// - Throws: `inputOutput`.
    package func lines() throws(StorageFailure) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for number in (0...Self.kept).reversed() {
            guard let content = try POSIXFile.read(file(number), limit: readable) else { continue }
            lines += content.split(separator: UInt8(ascii: "\n")).map(Array.init)
        }
        return lines
    }

    /// Gives its files other names, so that the next line begins a new log.
    ///
    /// - Returns: What the file is called now; nil where there was none.
    @discardableResult
    package func putAside() throws(StorageFailure) -> String? {
        guard try POSIXFile.status(POSIXFile.folder(of: path)) != nil else { return nil }
        let lock = try FileLock(path + ".lock")
        var name: String?
        for number in (0...Self.kept).reversed() where try POSIXFile.status(file(number)) != nil {
            name = try POSIXFile.putAside(file(number), as: file(number) + ".aside")
        }
        _ = consume lock
        return name
    }

    private func file(_ number: Int) -> String { number == 0 ? path : "\(path).\(number)" }

    private func giveWay() throws(StorageFailure) {
        for number in (0..<Self.kept).reversed() {
            guard unsafe rename(file(number), file(number + 1)) == 0 || errno == ENOENT else {
                throw POSIXFile.failure()
            }
        }
    }

    /// The last lines, the file's size, and whether the last one has its end.
    private func end() throws(StorageFailure) -> (last: [[UInt8]], size: Int, isWhole: Bool) {
        for number in 0...Self.kept {
            let descriptor = unsafe open(file(number), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else {
                guard errno == ENOENT else { throw POSIXFile.failure() }
                continue
            }
            defer { close(descriptor) }
            let size = Int(lseek(descriptor, 0, SEEK_END))
            guard size > 0 else { continue }
            let start = max(0, size - Self.longest)
            var bytes = [UInt8](repeating: 0, count: size - start)
            let count = unsafe pread(descriptor, &bytes, bytes.count, off_t(start))
            guard count == bytes.count else { throw POSIXFile.failure() }
            let isWhole = bytes.last == UInt8(ascii: "\n")
            // The first of them may have begun earlier.
            let last = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init).suffix(start == 0 ? .max : 2)
            return (Array(last), number == 0 ? size : 0, isWhole || number > 0)
        }
        return ([], 0, true)
    }
}
