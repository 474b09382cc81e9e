internal import Glibc
internal import KeyfobBus

/// A connection to the session's Secret Service: GNOME's keyring, KeePassXC, KWallet or another.
///
/// Every operation is synchronous and ends within the deadline of its ``SecretServiceAccess``, or within its prompt's.
/// A service that was restarted is found again by the next operation. Whoever has the connection sees to turns.
package final class SecretService {
    /// The longest secret, in bytes.
    package static let secretLimit = 2 << 20

    let access: SecretServiceAccess
    var wire: ServiceWire

    // How long connecting took, until the first operation has been charged with it.
    private var spent: Duration = .zero

    // The service's name on the bus that is never given twice.
    private var owner: String?

    /// Connects to the session bus and finds the service, which the bus may start.
    ///
    /// Never starts a bus.
    ///
    /// - Parameter user: Whose bus it has to be; nil is whoever runs this.
    /// - Throws: `noBus`, `noLibrary`, `noService`, `timedOut`.
    package static func connect(
        _ access: SecretServiceAccess, libraries: ServiceLibraries = ServiceLibraries(), of user: UInt32? = nil
    ) throws(SecretServiceError) -> SecretService {
        let deadline = Deadline(in: access.deadline)
        let socket: BusSocket
        do {
            socket = try BusSocket(BusAddress.session(access.environment), of: user ?? geteuid(), deadline: deadline)
        } catch {
            throw error == .timedOut ? .timedOut : .noBus
        }
        guard libraries.isAvailable else { throw .noLibrary }
        do throws(ServiceFailure) {
            let service = SecretService(access, try ServiceWire(socket, libraries, deadline))
            _ = try service.findOwner(deadline)
            service.spent = access.deadline - deadline.remaining
            return service
        } catch {
            throw error.error(whenGone: .noService)
        }
    }

    private init(_ access: SecretServiceAccess, _ wire: ServiceWire) {
        self.access = access
        self.wire = wire
    }

    /// The service's name on the bus.
    func findOwner(_ deadline: Deadline) throws(ServiceFailure) -> String {
        if let owner { return owner }
        let found: String
        do throws(ServiceFailure) {
            found = try nameOwner(deadline)
        } catch {
            guard case .remote = error else { throw error }
            do throws(ServiceFailure) {
                _ = try callBus(
                    "StartServiceByName", [.string(Self.serviceName), .number(0)], returning: "(u)", deadline)
                found = try nameOwner(deadline)
            } catch {
                if case .remote = error { throw .decided(.noService) }
                throw error
            }
        }
        owner = found
        return found
    }

    /// The path of the session with the service, opened on first use.
    func openSession(_ deadline: Deadline) throws(ServiceFailure) -> String {
        try wire.openSession(try findOwner(deadline), deadline)
    }

    /// Does `body`; once more when it found that the service, or the session, is another one now.
    ///
    /// - Parameters:
    ///   - gone: What it means that the object `body` calls is not there.
    ///   - isWriting: Whether the service has to write; GNOME's keyring writes its whole file again, which takes it 14 s
    ///     with 20,000 items.
    func attempt<Value>(
        whenGone gone: SecretServiceError, isWriting: Bool = false, _ body: (Deadline) throws(ServiceFailure) -> Value
    ) throws(SecretServiceError) -> Value {
        let deadline = nextDeadline(isWriting: isWriting)
        do throws(ServiceFailure) {
            return try body(deadline)
        } catch {
            guard error.isStale else { throw error.error(whenGone: gone) }
        }
        owner = nil
        wire.forgetSession()
        do throws(ServiceFailure) {
            return try body(deadline)
        } catch {
            throw error.error(whenGone: gone)
        }
    }

    /// The deadline of the next operation; connecting and the first one share theirs.
    private func nextDeadline(isWriting: Bool) -> Deadline {
        defer { spent = .zero }
        return Deadline(in: access.deadline * (isWriting ? 10 : 1) - spent)
    }

    /// Calls a method of one of the service's objects.
    func call(
        _ path: String, _ method: Method, _ arguments: [BusArgument] = [], returning type: String, _ deadline: Deadline
    ) throws(ServiceFailure) -> BusValue {
        guard BusArgument.isPath(path) else { throw .remote("org.freedesktop.DBus.Error.UnknownObject") }
        let owner = try findOwner(deadline)
        return try wire.call(owner, path, method, arguments, returning: type, deadline)
    }

    /// Calls a method of the bus itself.
    func callBus(
        _ method: String, _ arguments: [BusArgument], returning type: String, _ deadline: Deadline
    ) throws(ServiceFailure) -> BusValue {
        let name = "org.freedesktop.DBus"
        let answer = try wire.call(
            name, "/org/freedesktop/DBus", Method(name, method), arguments, returning: type, deadline)
        guard let value = answer.elements.first else { throw .oddAnswer }
        return value
    }

    private func nameOwner(_ deadline: Deadline) throws(ServiceFailure) -> String {
        let answer = try callBus("GetNameOwner", [.string(Self.serviceName)], returning: "(s)", deadline)
        guard let name = answer.text, name.hasPrefix(":") else { throw .oddAnswer }
        return name
    }

    static let serviceName = "org.freedesktop.secrets"
    static let servicePath = "/org/freedesktop/secrets"
}
