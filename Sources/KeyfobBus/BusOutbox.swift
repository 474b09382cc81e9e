internal import CLinux
internal import Glibc
internal import Synchronization

/// What other threads have for the one of the bus.
final class BusOutbox: Sendable {
    enum Item: Sendable {
        case text(UInt64, BusText)
        case error(UInt64, String, String)
        /// Let go of the name, answer what is open, and end.
        case retire
        /// End.
        case stop
    }

    /// Readable while there is something.
    let descriptor: CInt
    private let items = Mutex<[Item]>([])

    /// An empty one; nil where the system has no descriptor to give.
    init?() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit { Glibc.close(descriptor) }

    func put(_ item: Item) {
        items.withLock { $0.append(item) }
        _ = eventfd_write(descriptor, 1)
    }

    func takeAll() -> [Item] {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
        return items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
