internal import Glibc
internal import KeyfobSodium

/// One connection of a program: calls one after the other, each answered before the next is looked at.
final class VarlinkConnection {
    let descriptor: CInt
    /// Who is at the other end.
    let peer: PeerProcess
    private let limits: VarlinkServer.Limits
    /// What is said where another process writes than the one that connected; nil where any may.
    private let otherWriter: VarlinkMessage?
    /// Whether what is read may name no writer, as what was written before the socket asked for that.
    var mayBeUnnamed = false
    private var input = SecretBuffer(capacity: 4_096)
    private var scanned = 0
    private var output: [VarlinkMessage] = []
    /// How much of the first message is sent.
    private var sent = 0
    private var waiting = 0
    /// When the first byte came of a call that is not complete.
    private var halfSince: Int64?
    /// Since when it takes nothing of what waits for it.
    private var stalledSince: Int64?
    private var hasEnded = false
    private(set) var isGone = false
    /// What answers its call; nil while there is none.
    var task: Task<Void, Never>?
    /// The number of its call, and whether that has had its last reply: nothing comes behind it.
    var call: Int?
    var isAnswered = false
    /// Whether its call wants no reply.
    var isOneway = false
    /// Whether its call has an answer of several parts, whose end nobody waits for.
    var isWatching = false
    private var isDismissed = false
    /// Whether it was let in although all places are taken, for what the owner's command says.
    var isGuest = false

    /// Takes over a descriptor.
    init(
        _ descriptor: CInt, _ peer: PeerProcess, _ limits: VarlinkServer.Limits, otherWriter: VarlinkMessage? = nil
    ) {
        (self.descriptor, self.peer, self.limits, self.otherWriter) = (descriptor, peer, limits, otherWriter)
    }

    /// A process that is just being started may still have a copy of the descriptor: the program need not wait for that.
    deinit {
        shutdown(descriptor, CInt(SHUT_RDWR))
        close(descriptor)
    }

    /// What to wait for, as poll(2) takes it.
    var events: Int16 {
        var events: CInt = output.isEmpty ? 0 : POLLOUT
        // Who asks faster than it is answered waits.
        if !hasEnded, task == nil || input.count < Self.ahead { events |= POLLIN }
        return Int16(events)
    }

    /// Whether no call is answered, and no answer is on its way.
    var isSilent: Bool { task == nil && output.isEmpty }

    private static let ahead = 64 << 10

    /// When it is over at the latest, by the clock of the server.
    var deadline: Int64? {
        [halfSince.map { $0 + limits.halfMessage }, stalledSince.map { $0 + limits.stall }].compactMap(\.self).min()
    }

    /// Ends it where its time is up.
    func expire(_ now: Int64) { if let deadline, deadline <= now { leave() } }

    /// Begins no further call, and closes it once the one under way is answered.
    func dismiss() {
        isDismissed = true
        if isSilent || isWatching { leave() }
    }

    /// Closes it once it is no longer looked at; what answers its call is told.
    func leave() {
        isGone = true
        task?.cancel()
        (output, waiting) = ([], 0)
        input.removeAll()
    }

    /// Reads what has come.
    ///
    /// - Parameter isBroken: Whether nobody is at the other end any more.
    func receive(isBroken: Bool, _ now: Int64) {
        guard !isGone else { return }
        if hasEnded { return isBroken ? leave() : () }
        if input.count == input.capacity {
            guard input.capacity <= limits.message else { return leave() }
            var larger = SecretBuffer(capacity: min(2 * input.capacity, limits.message + 1))
            input.withBytes { larger.append($0) }
            input = larger
        }
        if let otherWriter {
            switch PeerProcess.writer(at: descriptor) {
            // What comes from here on nobody has looked at.
            case .nothingYet: return isBroken ? leave() : ()
            case .end: break
            case .process(let writer):
                guard writer == peer.number || writer == 0 && mayBeUnnamed else {
                    send(otherWriter, now)
                    return leave()
                }
                if writer != 0 { mayBeUnnamed = false }
            }
        }
        do {
            if try input.append(readingFrom: descriptor) == 0 { hasEnded = true }
        } catch {
            if errno != EAGAIN { return leave() }
        }
        if hasEnded, isBroken || task == nil && output.isEmpty && !hasWhole() { return leave() }
        if task == nil, input.count > 0, halfSince == nil { halfSince = now }
    }

    /// The next call, where it is whole and the one before is answered.
    func nextCall(_ now: Int64) -> VarlinkCall? {
        guard !isGone, !isDismissed, task == nil, input.count > 0 else { return nil }
        guard hasWhole() else {
            if hasEnded {
                if output.isEmpty { leave() }
            } else if scanned > limits.message {
                leave()
            } else if halfSince == nil {
                halfSince = now
            }
            return nil
        }
        let end = scanned
        let call = input.withBytes { try? VarlinkCall(reading: $0.extracting(0..<end)) }
        drop(end + 1)
        halfSince = nil
        if call == nil { leave() }
        return call
    }

    /// Whether a whole message is there; ``scanned`` is then where it ends.
    private func hasWhole() -> Bool {
        let start = scanned
        let end = input.withBytes { bytes in (start..<bytes.byteCount).first { bytes.byte(at: $0) == 0 } }
        scanned = end ?? input.count
        return end != nil
    }

    /// Takes away the oldest bytes; the memory that had them is wiped.
    private func drop(_ count: Int) {
        let rest = input.withBytes { bytes in
            SecretBytes(copying: bytes.extracting(count..<bytes.byteCount), placement: .recycled)
        }
        if input.capacity > Self.ahead {
            input = SecretBuffer(capacity: max(4_096, rest.count))
        } else {
            input.removeAll()
        }
        rest.withBytes { input.append($0) }
        scanned = 0
    }

    /// Has a message wait to be sent, and sends what can be.
    func send(_ message: VarlinkMessage, _ now: Int64) {
        guard !isGone, !isOneway else { return }
        output.append(message)
        waiting += message.count
        flush(now)
        if waiting > limits.output { leave() }
    }

    /// Writes what the socket takes.
    func flush(_ now: Int64) {
        var taken = 0
        while !isGone, taken < output.count {
            let start = sent
            let count = output[taken].withBytes { bytes in
                let rest = bytes.extracting(start..<bytes.byteCount)
                return unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { leave() }
                break
            }
            (sent, waiting, stalledSince) = (sent + count, waiting - count, nil)
            if sent == output[taken].count { (taken, sent) = (taken + 1, 0) }
        }
        guard !isGone else { return }
        output.removeFirst(taken)
        stalledSince = output.isEmpty ? nil : stalledSince ?? now
        if isDismissed || hasEnded && input.count == 0, output.isEmpty, task == nil { leave() }
    }
}
