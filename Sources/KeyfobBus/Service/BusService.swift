internal import Dispatch
internal import Glibc
internal import KeyfobFiles
internal import Synchronization

/// An object of this program's on the session bus, served by a thread of its own.
package final class BusService: Sendable {
    /// The library's name, as the dynamic linker knows it.
    package static let library = "libsystemd.so.0"

    private let outbox: BusOutbox

    private final class Outcome: Sendable {
        let failure = Mutex<BusFailure?>(nil)
        let isKnown = DispatchSemaphore(value: 0)
    }

    /// Puts an object on the bus, and then takes its name: whoever sees the name finds the object.
    ///
    /// The name is taken from nobody, not waited for, and given to nobody. Addresses that are no sockets of this machine
    /// (`unixexec:`, `tcp:`), and buses of other users, are passed over. `Ping` and `GetMachineId` of
    /// `org.freedesktop.DBus.Peer` are answered without the program.
    ///
    /// - Parameters:
    ///   - environment: Says where the bus is: `DBUS_SESSION_BUS_ADDRESS`, or else `XDG_RUNTIME_DIR`.
    ///   - deadline: How long the bus may take to let the program in.
    ///   - handle: Called on the bus's thread, which it must not keep; ``BusCall`` can be answered later.
    ///   - ended: Called on the bus's thread when it ends: with why, or nil where it was to.
    package init(
        _ object: BusObject, environment: [String: String], deadline: Duration = .seconds(10),
        library: String = BusService.library, handle: @escaping @Sendable (BusCall) -> Void,
        ended: @escaping @Sendable (BusFailure?) -> Void
    ) throws(BusFailure) {
        guard let outbox = BusOutbox() else { throw .system(0) }
        self.outbox = outbox
        let outcome = Outcome()
        let isStarted = BlockingThread.start {
            let loop: BusLoop
            do throws(BusFailure) {
                guard let library = BusLibrary.named(library) else { throw .noLibrary }
                let end = Deadline(in: deadline)
                let socket = try BusSocket(BusAddress.session(environment), of: geteuid(), deadline: end)
                loop = try BusLoop(library, socket, object, outbox, handle)
                try loop.open(until: end)
            } catch {
                outcome.failure.withLock { $0 = error }
                outcome.isKnown.signal()
                return
            }
            outcome.isKnown.signal()
            ended(loop.run())
        }
        guard isStarted else { throw .system(0) }
        outcome.isKnown.wait()
        if let failure = outcome.failure.withLock({ $0 }) { throw failure }
    }

    deinit { stop() }

    /// Gives the name back, answers the calls that have come, and ends: whoever calls then has the bus start the program anew.
    package func retire() { outbox.put(.retire) }

    /// Ends, whatever is open.
    package func stop() { outbox.put(.stop) }
}
