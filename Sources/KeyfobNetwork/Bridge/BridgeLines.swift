internal import Glibc
internal import KeyfobSodium

/// Lines that come in over a descriptor.
struct BridgeInput {
    enum Line: Hashable {
        case whole([UInt8])
        case tooLong
    }

    let descriptor: CInt
    private let limit: Int
    private var line: [UInt8] = []
    private var isSkipping = false
    /// Whether no more will come.
    private(set) var isAtEnd = false

    private static let step = 64 << 10

    init(_ descriptor: CInt, limit: Int) { (self.descriptor, self.limit) = (descriptor, limit) }

    /// The lines that are whole now; waits where nothing has come.
    mutating func read() -> [Line] {
        var part = [UInt8](repeating: 0, count: Self.step)
        let count = unsafe Glibc.read(descriptor, &part, part.count)
        guard count > 0 else {
            if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
            isAtEnd = true
            // The last line may lack its end.
            return take([0x0A])
        }
        return take(part[..<count])
    }

    private mutating func take(_ part: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = part
        while let end = rest.firstIndex(of: 0x0A) {
            append(rest[..<end])
            if isSkipping {
                lines.append(.tooLong)
            } else if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                lines.append(.whole(line))
            }
            (line, isSkipping) = ([], false)
            rest = rest[(end + 1)...]
        }
        append(rest)
        return lines
    }

    private mutating func append(_ part: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        if line.count + part.count > limit { (line, isSkipping) = ([], true) } else { line += part }
    }
}

/// Lines that go out over a descriptor, as fast as they are read.
struct BridgeOutput {
    let descriptor: CInt
    private var lines: [[UInt8]] = []
    private var offset = 0
    private(set) var count = 0

    /// What a pipe that can be written takes without waiting (pipe(7)).
    private static let step = 4_096

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    mutating func append(_ line: [UInt8]) {
        lines.append(line)
        count += line.count
    }

    /// Writes what is taken; false where nobody reads any more.
    mutating func flush(until deadline: ContinuousClock.Instant = .now) -> Bool {
        while let line = lines.first {
            var waits = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
            LoopbackSocket.wait(&waits, until: deadline)
            guard waits[0].revents != 0 else { return true }
            let size = min(Self.step, line.count - offset)
            let written = line.withBytes { bytes in
                unsafe bytes.extracting(offset..<offset + size).withUnsafeBytes {
                    unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
                }
            }
            guard written > 0 else { return written < 0 && (errno == EINTR || errno == EAGAIN) }
            (offset, count) = (offset + written, count - written)
            if offset == line.count {
                lines.removeFirst()
                offset = 0
            }
        }
        return true
    }

    /// Writes the rest, for so long at most; true, so that it can end a wait.
    mutating func flushes(within time: Duration) -> Bool {
        _ = flush(until: .now + time)
        return true
    }
}
