internal import Glibc

extension BusAddress {
    /// A socket connected to the session bus of the user who runs this program, to be closed by whoever gets it.
    ///
    /// - Throws: `noBus`, `timedOut`.
    package static func connect(
        _ environment: [String: String], deadline: Duration
    ) throws(SecretServiceError) -> CInt {
        let socket = try BusSocket(session(environment), of: geteuid(), deadline: Deadline(in: deadline))
        return socket.release()
    }
}
