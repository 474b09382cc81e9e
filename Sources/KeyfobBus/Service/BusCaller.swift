internal import Glibc
internal import Synchronization

/// Who made a call, as the bus noted it when the connection was made (`GetConnectionCredentials` of the D-Bus specification).
package final class BusCaller: Sendable {
    /// The connection's own name, `:1.42`, which the bus never gives twice.
    package let connection: String
    /// The user.
    package let user: UInt32
    /// The process.
    package let process: Int32
    private let descriptor: Mutex<CInt>

    init(connection: String, user: UInt32, process: Int32, descriptor: CInt) {
        (self.connection, self.user, self.process) = (connection, user, process)
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// The descriptor of the process (pidfd_open(2)), to be closed by whoever takes it; nil where the bus gives none
    /// (dbus-daemon before 1.15.8), and the second time.
    package func takeDescriptor() -> CInt? {
        descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor >= 0 ? descriptor : nil
        }
    }
}
