internal import CLibsecret
internal import Dispatch
internal import KeyfobBus

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
