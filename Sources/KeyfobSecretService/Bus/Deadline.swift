internal import CLibsecret
internal import Dispatch

/// The moment by which an operation must be done.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(in duration: Duration) {
        end = .now + duration
    }

    /// An earlier one, after three quarters of what is left: the rest is for finding out what went wrong.
    var early: Deadline { Deadline(in: remaining * 3 / 4) }

    /// What is left, never negative.
    var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }

    var hasPassed: Bool { remaining == .zero }

    /// What is left, for calls that take a timeout; rounded up, and at least 1, because 0 and less mean
    /// something else to them.
    var milliseconds: CInt {
        let count = (remaining / .milliseconds(1)).rounded(.up)
        return CInt(max(1, min(count, Double(CInt.max))))
    }
}

/// Ends calls that take no timeout, at a deadline.
///
/// Cancelling is not enough while a connection is being set up: GIO's first call to the bus cannot be cancelled
/// and waits for 25 s. Shutting down its socket ends it.
@safe
final class Cancellation {
    private let cancellable: GLibObject
    private let targets: Targets
    private let work: DispatchWorkItem

    /// What is to be ended.
    ///
    /// The queue keeps the work item until the deadline, even a cancelled one, but not what it was to end.
    private final class Targets {
        private let turn = DispatchSemaphore(value: 1)
        private var cancellable: GLibObject?
        private var socket: GLibObject?
        private var isOver = false

        init(_ cancellable: GLibObject, _ socket: GLibObject?) {
            self.cancellable = cancellable
            self.socket = socket
        }

        func end() {
            turn.wait()
            defer { turn.signal() }
            guard let cancellable else { return }
            isOver = true
            unsafe Libsecret.functions.pointee.g_cancellable_cancel(cancellable.pointer)
            if let socket { _ = unsafe Libsecret.functions.pointee.g_socket_shutdown(socket.pointer, 1, 1, nil) }
        }

        /// Lets go of them, and says whether they have not been ended.
        func release() -> Bool {
            turn.wait()
            defer { turn.signal() }
            (cancellable, socket) = (nil, nil)
            return !isOver
        }
    }

    init(at deadline: Deadline, shuttingDown socket: GLibObject? = nil) {
        let cancellable = unsafe GLibObject(owning: Libsecret.functions.pointee.g_cancellable_new())
        self.cancellable = cancellable
        let targets = Targets(cancellable, socket)
        self.targets = targets
        work = DispatchWorkItem { targets.end() }
        // A queue of its own, whose thread does not wait for others.
        DispatchQueue(label: "io.keyfob.SecretService").asyncAfter(
            deadline: .now() + .milliseconds(Int(deadline.milliseconds)), execute: work)
    }

    deinit {
        _ = release()
    }

    /// Calls it off: from now on nothing is ended.
    ///
    /// - Returns: Whether nothing has been ended before.
    func release() -> Bool {
        work.cancel()
        return targets.release()
    }

    var pointer: OpaquePointer { unsafe cancellable.pointer }
}
