internal import Dispatch
internal import Glibc
internal import Synchronization

/// Processes that do what may never end, for one that has to go on and to end: a thread that waits for a file system that does not
/// answer can be ended by nobody, and keeps its process, with all that has, from ending.
///
/// They are made while the process has nothing that they are not to have, and end with it. Each does one thing at a time; those
/// that take too long are killed, and others take their place.
package final class SpareProcesses: Sendable {
    /// What one kind of them does.
    package struct Work: Sendable {
        /// How many there are at most, those included that cannot be ended.
        package let most: Int
        /// Answers a question.
        package let answer: @Sendable ([UInt8]) -> [UInt8]

        /// Some work.
        package init(most: Int, answer: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            (self.most, self.answer) = (most, answer)
        }
    }

    private final class Waiter: Sendable {
        let done = DispatchSemaphore(value: 0)
        let answer = Mutex<[UInt8]?>(nil)
    }

    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: Waiter] = [:]
        var isClosed = false
        var lacksThread = false
    }

    private let lines: [CInt]
    private let state = Mutex(State())

    /// Makes them; nil where the system makes no further process.
    ///
    /// To be called by a process that has one thread.
    package init?(_ works: [Work]) {
        var (own, others): ([CInt], [CInt]) = ([], [])
        for _ in works {
            var ends: [CInt] = [-1, -1]
            let kind = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            if unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 {
                own.append(ends[0])
                others.append(ends[1])
            }
        }
        let process = own.count == works.count ? fork() : -1
        if process == 0 { SpareKeeper(works, others).run() }
        for line in others { Glibc.close(line) }
        lines = own
        guard process > 0 else {
            for line in own { Glibc.close(line) }
            return nil
        }
    }

    // Who hears on a line closes it; where nobody does, it has no further use.
    deinit {
        let isHeard = hearing.withLock(\.self)
        for line in lines {
            shutdown(line, CInt(SHUT_RDWR))
            if !isHeard { Glibc.close(line) }
        }
    }

    private let hearing = Mutex(false)

    /// Begins to hear answers: from then on the process has several threads.
    package func hear() {
        let isFirst = hearing.withLock { isHearing in
            defer { isHearing = true }
            return !isHearing
        }
        guard isFirst else { return }
        for line in lines {
            let isStarted = BlockingThread.start { [weak self] in
                var bytes = [UInt8](repeating: 0, count: SpareMessage.longest)
                while true {
                    let count = unsafe recv(line, &bytes, bytes.count, 0)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0, let self else {
                        Glibc.close(line)
                        return
                    }
                    guard let message = SpareMessage(bytes[..<count]) else { continue }
                    let waiter = self.state.withLock { $0.waiting.removeValue(forKey: message.number) }
                    waiter?.answer.withLock { $0 = message.content }
                    waiter?.done.signal()
                }
            }
            if !isStarted {
                state.withLock { $0.lacksThread = true }
                close()
            }
        }
    }

    /// What is answered to a question; nil where nothing is in time, or ever, and nothing where the system makes no process for it.
    ///
    /// It blocks its thread for as long.
    package func ask(_ question: [UInt8], of work: Int, within milliseconds: Int64) -> [UInt8]? {
        hear()
        let waiter = Waiter()
        let number = state.withLock { state -> UInt64? in
            guard !state.isClosed else { return nil }
            state.next += 1
            state.waiting[state.next] = waiter
            return state.next
        }
        guard let number else { return nil }
        let message = SpareMessage(number: number, due: SpareMessage.now() + milliseconds, content: question).bytes
        let isSent =
            unsafe send(lines[work], message, message.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) == message.count
        if isSent { _ = waiter.done.wait(timeout: .now() + .milliseconds(Int(milliseconds))) }
        _ = state.withLock { $0.waiting.removeValue(forKey: number) }
        return waiter.answer.withLock { $0 }
    }

    /// Whether it answers nothing because the system gave no thread to hear answers on.
    package var lacksThread: Bool { state.withLock(\.lacksThread) }

    /// Whether it answers nothing any more.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    /// Answers nothing any more; whoever waits is told so at once.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.done.signal() }
    }
}

/// A question, or an answer.
struct SpareMessage {
    /// By which the answer is known.
    let number: UInt64
    /// Until when the answer is waited for, in milliseconds; 0 in an answer.
    var due: Int64 = 0
    let content: [UInt8]

    /// The longest, in bytes.
    static let longest = 1 << 16

    init(number: UInt64, due: Int64 = 0, content: [UInt8]) {
        (self.number, self.due, self.content) = (number, due, content)
    }

    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= 16 else { return nil }
        func integer(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        number = integer(bytes.prefix(8))
        due = Int64(bitPattern: integer(bytes.dropFirst(8).prefix(8)))
        content = Array(bytes.dropFirst(16))
    }

    var bytes: [UInt8] {
        func bytes(_ value: UInt64) -> [UInt8] {
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return bytes(number) + bytes(UInt64(bitPattern: due)) + content
    }

    /// Milliseconds since the machine started.
    static func now() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
