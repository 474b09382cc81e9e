internal import CLinux
internal import Glibc
internal import Synchronization

/// Where the replies to one call go, from any thread.
package struct VarlinkReplies: Sendable {
    let connection: Int
    let mailbox: VarlinkMailbox

    /// Sends a reply; nobody gets it where the connection is gone.
    package func send(_ message: VarlinkMessage) { mailbox.put(.reply(message, connection: connection)) }
}

/// What tasks have for the thread that has the connections.
final class VarlinkMailbox: Sendable {
    enum Item: Sendable {
        case reply(VarlinkMessage, connection: Int)
        /// The call is answered.
        case end(connection: Int)
    }

    /// Readable when there is something.
    let descriptor: CInt
    private let items = Mutex<[Item]>([])

    init?() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

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
