internal import CLinux
internal import Glibc
internal import Synchronization

/// What other threads have for the one that waits for connections.
package final class Mailbox<Item: Sendable>: Sendable {
    /// Readable while there is something.
    package let descriptor: CInt
    private let items = Mutex<[Item]>([])

    /// An empty one; nil where the system has no descriptor to give.
    package init?() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Adds something.
    package func put(_ item: Item) {
        items.withLock { $0.append(item) }
        _ = eventfd_write(descriptor, 1)
    }

    /// What there is, in the order in which it was put, and nothing from then on.
    package func takeAll() -> [Item] {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
        return items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
