internal import Glibc
package import Keyfob

extension PeerProcess {
    /// Who is at the other end of a unix socket, as the kernel noted it when the connection was made (unix(7)).
    ///
    /// By `SO_PEERPIDFD` (Linux 6.5), or else by the number in `SO_PEERCRED`, whose process must not have started
    /// anew meanwhile.
    ///
    /// - Parameter owner: Whose processes may come; nil for everybody's who can connect.
    /// - Throws: `notPermitted` for one of another user, and where it has ended.
    package static func connected(
        to socket: CInt, in table: ProcessTable = ProcessTable(), owner: UInt32? = geteuid()
    ) throws(KeyringError) -> PeerProcess {
        // `struct ucred`: the numbers of the process, its user and its group.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var count = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &count) == 0, credentials.process > 0
        else { throw KeyringError(.notPermitted, "nobody can tell which process asks") }
        guard owner == nil || credentials.user == owner else {
            throw KeyringError(
                .notPermitted, "process \(credentials.process) is of another user (\(credentials.user))")
        }
        var descriptor: CInt = -1
        count = socklen_t(MemoryLayout<CInt>.size)
        let isGiven = unsafe getsockopt(socket, SOL_SOCKET, Self.peerDescriptor, &descriptor, &count) == 0
        guard isGiven || errno == ENOPROTOOPT,
            let process = PeerProcess(
                credentials.process, user: credentials.user, descriptor: isGiven ? descriptor : nil, in: table)
        else { throw .ended(credentials.process) }
        return process
    }

    /// Has each message at a socket, and at those that a listening one lets in, say who wrote it (unix(7), `SO_PASSCRED`).
    ///
    /// Who is let in has that from the listening socket as it was when they connected (Linux 6.16), or were let in (before).
    static func askForWriters(at socket: CInt) {
        var yes: CInt = 1
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Whether each message at a socket says who wrote it.
    static func isAskedForWriters(_ socket: CInt) -> Bool {
        var value: CInt = 0
        var count = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(socket, SOL_SOCKET, SO_PASSCRED, &value, &count) == 0 && value != 0
    }

    /// Who wrote what is read from a socket next.
    enum Writer: Equatable {
        /// A process; 0 where that is not told.
        case process(Int32)
        /// Nothing is there, and something may come.
        case nothingYet
        /// Nothing will come.
        case end
    }

    /// Who wrote what is read from a socket next.
    ///
    /// What one process wrote and what another did are never read at once.
    static func writer(at socket: CInt) -> Writer {
        var byte: UInt8 = 0
        // `struct cmsghdr` with a `struct ucred`. There is room for nothing else, so that descriptors stay where they are.
        var control = [Int32](repeating: 0, count: 8)
        let count = unsafe withUnsafeMutableBytes(of: &byte) { byte in
            unsafe control.withUnsafeMutableBytes { control in
                var part = unsafe iovec(iov_base: byte.baseAddress, iov_len: 1)
                return unsafe withUnsafeMutablePointer(to: &part) { part in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = part
                    unsafe message.msg_iovlen = 1
                    unsafe message.msg_control = control.baseAddress
                    unsafe message.msg_controllen = control.count
                    return unsafe recvmsg(socket, &message, CInt(MSG_PEEK | MSG_DONTWAIT))
                }
            }
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return .nothingYet }
        guard count > 0 else { return .end }
        return .process(control[2] == SOL_SOCKET && control[3] == 2 ? control[4] : 0)
    }

    /// `SO_PEERPIDFD`, which older headers lack.
    private static let peerDescriptor: CInt = 77
}

extension KeyringError {
    /// The process that asks is not there any more.
    static func ended(_ process: Int32) -> KeyringError {
        KeyringError(.notPermitted, "process \(process), which asked, has ended")
    }

    /// The process that asks runs another program than it did.
    static func becameAnother(_ process: Int32) -> KeyringError {
        KeyringError(
            .notPermitted,
            "process \(process) has become another program since it connected, or hides what it runs; connect again")
    }
}
