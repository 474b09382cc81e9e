internal import Glibc

/// A socket that is connected to a message bus.
///
/// So that a missing bus is found out before a library is loaded, and in no time.
package struct BusSocket: ~Copyable {
    private var descriptor: CInt

    /// Connects to the first address where `user` listens.
    ///
    /// Whoever else listens there is passed over: an address that was left over may be another's by now.
    ///
    /// - Throws: `noBus`; `timedOut` when the bus is there and takes no more connections.
    package init(_ addresses: [BusAddress], of user: UInt32, deadline: Deadline) throws(BusFailure) {
        var failure = BusFailure.noBus
        for address in addresses {
            switch Self.connect(address, deadline: deadline) {
            case .success(let descriptor):
                guard Self.listener(at: descriptor) == user else {
                    Self.close(descriptor)
                    failure = .noBus
                    continue
                }
                self.descriptor = descriptor
                return
            case .failure(let error): failure = error
            }
        }
        throw failure
    }

    deinit {
        if descriptor >= 0 { Self.close(descriptor) }
    }

    package static func close(_ descriptor: CInt) {
        _ = Glibc.close(descriptor)
    }

    /// Gives the descriptor away, to somebody who will close it.
    package consuming func release() -> CInt {
        defer { descriptor = -1 }
        return descriptor
    }

    private static func connect(_ address: BusAddress, deadline: Deadline) -> Result<CInt, BusFailure> {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return .failure(.noBus) }
        var (name, length) = name(of: address)
        while true {
            let result = unsafe withUnsafePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(descriptor, $0, length)
                }
            }
            if result == 0 { return .success(descriptor) }
            // A listener whose queue is full; such a connection cannot be waited for.
            let isBusy = errno == EAGAIN
            guard isBusy || errno == EINTR, !deadline.hasPassed else {
                close(descriptor)
                return .failure(isBusy ? .timedOut : .noBus)
            }
            usleep(5_000)
        }
    }

    /// Whose process listens at the other end; nil when the system does not say.
    private static func listener(at descriptor: CInt) -> UInt32? {
        // Process, user and group (`unix(7)`, SO_PEERCRED).
        var numbers: [UInt32] = [0, 0, 0]
        let size = socklen_t(numbers.count * MemoryLayout<UInt32>.size)
        var length = size
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &length)
        return result == 0 && length == size ? numbers[1] : nil
    }

    private static func name(of address: BusAddress) -> (sockaddr_un, socklen_t) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let (bytes, size) =
            switch address {
            case .path(let path): (path, path.count + 1)
            case .abstract(let text): ([0] + text, text.count + 1)
            }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return (name, socklen_t(MemoryLayout<sa_family_t>.size + size))
    }
}
