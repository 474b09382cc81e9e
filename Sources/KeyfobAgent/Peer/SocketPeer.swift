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

    /// `SO_PEERPIDFD`, which older headers lack.
    private static let peerDescriptor: CInt = 77
}

extension KeyringError {
    /// The process that asks is not there any more.
    static func ended(_ process: Int32) -> KeyringError {
        KeyringError(.notPermitted, "process \(process), which asked, has ended")
    }
}
