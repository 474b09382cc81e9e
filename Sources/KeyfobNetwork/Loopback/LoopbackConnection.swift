internal import Glibc
internal import KeyfobSodium

/// One connection of a browser: reads one request, writes one page, and goes.
///
/// What is no callback it refuses by itself; a callback waits for ``answer(_:)``. It never blocks: ``advance()`` does what the
/// socket allows, and ``wait`` says what to wait for.
final class LoopbackConnection {
    private enum State {
        case reading
        case callback(Range<Int>)
        case waiting
        case writing([UInt8], from: Int)
        case lingering
        case gone
    }

    let descriptor: CInt
    /// When it is refused or closed at the latest; nil while its callback waits for us.
    private(set) var deadline: ContinuousClock.Instant?
    private let address: LoopbackAddress
    private var state = State.reading
    private var buffer = SecretBuffer(capacity: 4_096)
    private var request: LoopbackRequest?

    /// How long the browser has to take its page and close.
    static let lingerLimit = Duration.seconds(2)

    /// Takes over a descriptor.
    init(_ descriptor: CInt, address: LoopbackAddress, deadline: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.address = address
        self.deadline = deadline
    }

    deinit { _ = close(descriptor) }

    /// Whether its request is not whole, so that it may have to go for another one.
    var isReading: Bool { if case .reading = state { true } else { false } }
    /// Whether nothing happens here any more.
    var isGone: Bool { if case .gone = state { true } else { false } }

    /// What to wait for, as poll(2) takes it.
    var wait: pollfd {
        switch state {
        case .reading, .lingering: pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        case .writing: pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        case .callback, .waiting, .gone: pollfd(fd: -1, events: 0, revents: 0)
        }
    }

    /// The fields of a callback, once.
    func takeFields() -> SecretBytes? {
        guard case .callback(let range) = state else { return nil }
        state = .waiting
        defer { buffer.removeAll() }
        return buffer.withBytes { SecretBytes(copying: $0.extracting(range), placement: .recycled) }
    }

    /// Answers with a page.
    func answer(_ page: LoopbackPage) {
        buffer.removeAll()
        state = .writing(page.bytes(isHead: request?.method == "HEAD"), from: 0)
        deadline = .now + Self.lingerLimit
        advance()
    }

    /// Reads or writes as far as it goes without waiting.
    func advance() {
        switch state {
        case .reading: read()
        case .writing(let bytes, let start): write(bytes, from: start)
        case .lingering: discard()
        case .callback, .waiting, .gone: break
        }
    }

    /// Says that the time is up.
    func expire() {
        switch state {
        case .reading: refuse(.slow)
        case .callback, .waiting: break
        case .writing, .lingering, .gone: state = .gone
        }
    }

    private func refuse(_ refusal: LoopbackRequest.Refusal) { answer(.refused(refusal.status, refusal.reason)) }

    private func read() {
        let before = buffer.count
        guard buffer.makeRoom(for: 1, limit: LoopbackRequest.limit + LoopbackAddress.bodyLimit + 1) else {
            return refuse(.tooLong)
        }
        do {
            guard try buffer.append(readingFrom: descriptor) > 0 else {
                state = .gone
                return
            }
        } catch {
            if error != .unreadable(errno: EAGAIN) { state = .gone }
            return
        }
        do {
            if request == nil {
                request = try buffer.withBytes { bytes throws(LoopbackRequest.Refusal) in
                    try LoopbackRequest(reading: bytes, from: before)
                }
            }
            guard let request else { return }
            let fields = try address.fields(of: request)
            if fields.upperBound <= buffer.count { (state, deadline) = (.callback(fields), nil) }
        } catch {
            refuse(error)
        }
    }

    private func write(_ bytes: [UInt8], from start: Int) {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe send(
                descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start, CInt(MSG_NOSIGNAL))
        }
        if count < 0 {
            if errno != EAGAIN && errno != EINTR { state = .gone }
            return
        }
        guard start + count == bytes.count else {
            state = .writing(bytes, from: start + count)
            return
        }
        // Only our side ends: the browser ends its own, so that no reset overtakes the page.
        state = shutdown(descriptor, CInt(SHUT_WR)) == 0 ? .lingering : .gone
    }

    private func discard() {
        var scratch = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &scratch, scratch.count, 0)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { state = .gone }
    }
}
