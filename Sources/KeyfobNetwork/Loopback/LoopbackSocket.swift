internal import Glibc

/// The system's calls for sockets that listen on this machine alone.
enum LoopbackSocket {
    /// A socket that listens on 127.0.0.1, or on ::1; nil where the port is in use.
    static func listen(isIPv6: Bool, port: Int) throws(LoopbackError) -> CInt? {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { throw .unavailable }
        var yes: CInt = 1
        // A port that this machine has used a minute ago is free all the same.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        if bind(descriptor, isIPv6, in_port_t(port)), Glibc.listen(descriptor, 128) == 0 { return descriptor }
        let isInUse = errno == EADDRINUSE
        _ = close(descriptor)
        if isInUse { return nil }
        throw .unavailable
    }

    private static func bind(_ descriptor: CInt, _ isIPv6: Bool, _ port: in_port_t) -> Bool {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return unsafe bind(descriptor, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return unsafe bind(descriptor, &address)
    }

    private static func bind<Address>(_ descriptor: CInt, _ address: UnsafePointer<Address>) -> Bool {
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
        }
    }

    /// The port of a socket; it lies at the same place in the addresses of IPv4 and IPv6.
    static func port(of descriptor: CInt) -> Int {
        var address = sockaddr_in6()
        var count = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &count)
            }
        }
        return result == 0 ? Int(in_port_t(bigEndian: address.sin6_port)) : 0
    }

    /// The next connection; nil where none waits.
    static func accept(_ descriptor: CInt) -> CInt? {
        let connection = Glibc.accept(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        if fcntl(connection, F_SETFL, O_NONBLOCK) == 0, fcntl(connection, F_SETFD, FD_CLOEXEC) == 0 {
            return connection
        }
        _ = close(connection)
        return nil
    }

    /// Waits until one of `waits` is ready or the time is there.
    static func wait(_ waits: inout [pollfd], until deadline: ContinuousClock.Instant) {
        let left = max(.zero, deadline - .now).components
        let milliseconds = min(3_600_000, left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1)
        let count = unsafe poll(&waits, nfds_t(waits.count), CInt(milliseconds))
        if count <= 0 { for index in waits.indices { waits[index].revents = 0 } }
    }
}

/// Ends a wait from elsewhere.
struct StopSignal: ~Copyable, Sendable {
    /// Is ready to be read once it has been rung.
    let ear: CInt
    private let hand: CInt

    init() throws(LoopbackError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .unavailable
        }
        (ear, hand) = (ends[0], ends[1])
    }

    deinit {
        _ = close(ear)
        _ = close(hand)
    }

    /// Rings, for good.
    func ring() { _ = shutdown(hand, CInt(SHUT_WR)) }
}
