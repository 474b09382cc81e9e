internal import Foundation
internal import Glibc
internal import Synchronization

/// A secret that a test looks for in the memory of its own process, without having it there itself.
package struct HiddenSecret: Sendable {
    /// The bytes, altered so that they are not found.
    private let altered: [UInt8]
    private static let mask: UInt8 = 0xA5

    /// Random bytes between `a` and `p`, so that they are text too.
    package init(count: Int = 48) {
        altered = (0..<count).map { _ in UInt8.random(in: 0x61...0x70) ^ Self.mask }
    }

    /// How many there are.
    package var count: Int { altered.count }

    /// One of them.
    package subscript(index: Int) -> UInt8 { altered[index] ^ Self.mask }

    /// How often they are in what this process has written to its memory.
    ///
    /// Other threads may go on; what they map and unmap meanwhile may be missed.
    package func occurrences() throws -> Int {
        // One search at a time, since each has a copy of a part of the memory.
        try Self.turn.withLock { _ in try search() }
    }

    private static let turn = Mutex(())

    private func search() throws -> Int {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw POSIXError(.EACCES) }
        defer { close(memory) }
        let size = 1 << 20
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4_096)
        defer {
            _ = unsafe chunk.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe chunk.deallocate()
        }
        // What is searched lies in memory as well.
        let start = UInt(bitPattern: chunk.baseAddress)
        let copies = start..<start + UInt(size)
        var found = 0
        for mapping in try MemoryMapping.all() where mapping.isOwnMemory {
            var address = mapping.range.lowerBound
            while address < mapping.range.upperBound {
                let wanted = min(size, Int(mapping.range.upperBound - address))
                let read = unsafe pread(memory, chunk.baseAddress, wanted, off_t(address))
                guard read > 0 else { break }
                let places = unsafe places(in: UnsafeRawBufferPointer(chunk), read)
                found += places.count { !copies.contains(address + UInt($0)) }
                guard read > count, address + UInt(read) < mapping.range.upperBound else { break }
                address += UInt(read - count + 1)
            }
        }
        return found
    }

    // Glibc's module does not show it.
    private static let find = unsafe unsafeBitCast(
        dlsym(nil, "memmem"),
        to: (@convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeRawPointer?).self)

    private func places(in chunk: UnsafeRawBufferPointer, _ length: Int) -> [Int] {
        guard let base = chunk.baseAddress else { return [] }
        // Half of them is what is looked for, which is then here and in the calls' arguments, and never the whole.
        let half = (0..<count / 2).map { self[$0] }
        var (found, offset): ([Int], Int) = ([], 0)
        while offset + count <= length, let hit = unsafe Self.find(base + offset, length - offset, half, half.count) {
            let place = unsafe hit - base
            guard place + count <= length else { break }
            if (half.count..<count).allSatisfy({ unsafe chunk[place + $0] == self[$0] }) { found.append(place) }
            offset = place + 1
        }
        return found
    }
}

/// A part of this process's memory, as the kernel tells.
package struct MemoryMapping: Sendable {
    /// Its addresses.
    package let range: Range<UInt>
    /// What the kernel may do with it, as two letters each: `dd` is left out of core dumps, `lo` is locked
    /// (`proc_pid_smaps(5)`).
    package private(set) var flags: Set<String> = []
    /// Whether it can be read and is not a file's content.
    package let isOwnMemory: Bool

    /// The one that `address` is in.
    package static func containing(_ address: UInt) throws -> MemoryMapping? {
        try all(in: "smaps").first { $0.range.contains(address) }
    }

    fileprivate static func all(in file: String = "maps") throws -> [MemoryMapping] {
        guard let file = FileHandle(forReadingAtPath: "/proc/self/\(file)") else { throw POSIXError(.ENOENT) }
        var mappings: [MemoryMapping] = []
        for line in try (file.readToEnd() ?? Data()).split(separator: 0x0A) {
            let fields = line.split(separator: 0x20, maxSplits: 5).map { String(decoding: $0, as: UTF8.self) }
            let ends = (fields.first ?? "").split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, fields.count >= 5 {
                let isKernels = fields.count > 5 && fields[5].contains("[v")
                let isOwn = fields[1].hasPrefix("rw") || (fields[1].hasPrefix("r--") && fields[4] == "0")
                mappings.append(MemoryMapping(range: ends[0]..<ends[1], isOwnMemory: isOwn && !isKernels))
            } else if fields.first == "VmFlags:", let last = mappings.indices.last {
                mappings[last].flags = Set(fields.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
            }
        }
        return mappings
    }
}
