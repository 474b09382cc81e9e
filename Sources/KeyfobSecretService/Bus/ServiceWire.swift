internal import KeyfobBus
internal import KeyfobSodium

/// A private connection to the session bus, and the session in which secrets travel over it.
///
/// By sd-bus, in which secrets travel as they are; or, where that is not installed, by libsecret and GLib, which
/// encrypt them and take ten times as long to begin.
enum ServiceWire {
    case systemd(BusClient, session: String?)
    case glib(BusConnection, session: SecretSession?)

    /// - Throws: `noLibrary` where there is neither.
    init(_ socket: consuming BusSocket, _ libraries: ServiceLibraries, _ deadline: Deadline) throws(ServiceFailure) {
        if BusClient.isAvailable(as: libraries.systemd) {
            do {
                self = .systemd(try BusClient(socket, library: libraries.systemd, until: deadline), session: nil)
            } catch {
                throw error == .timedOut ? .timedOut : .closed
            }
        } else {
            guard Libsecret.isInstalled(as: libraries.libsecret) else { throw .decided(.noLibrary) }
            self = .glib(try BusConnection(socket, deadline: deadline), session: nil)
        }
    }

    var isClosed: Bool {
        switch self {
        case .systemd(let client, _): client.isClosed
        case .glib(let connection, _): connection.isClosed
        }
    }

    /// Calls a method and waits for its answer, which has the type `type`, such as `(oo)`.
    ///
    /// Never starts a service.
    func call(
        _ destination: String, _ path: String, _ method: Method, _ arguments: [BusArgument], returning type: String,
        _ deadline: Deadline
    ) throws(ServiceFailure) -> BusValue {
        switch self {
        case .systemd(let client, _):
            do {
                return .tuple(
                    try client.call(
                        destination, path, method.interface, method.name, arguments,
                        returning: String(type.dropFirst().dropLast()), until: deadline))
            } catch {
                throw ServiceFailure(error)
            }
        case .glib(let connection, let session):
            return try connection.call(
                destination, path, method,
                Variant.all(arguments) { (argument) throws(ServiceFailure) in try Variant(argument, session) },
                returning: type, deadline: deadline
            ).value
        }
    }

    /// Opens the session, where it is not open.
    ///
    /// - Returns: Its path.
    mutating func openSession(_ owner: String, _ deadline: Deadline) throws(ServiceFailure) -> String {
        switch self {
        case .systemd(_, let session?): return session
        case .glib(_, let session?): return session.path
        case .systemd(let client, nil):
            let answer = try call(
                owner, SecretService.servicePath, Method(Interfaces.service, "OpenSession"),
                [.string("plain"), .boxed(.string(""))], returning: "(vo)", deadline)
            guard let path = answer.elements.last?.text, BusArgument.isPath(path), path != "/" else {
                throw .oddAnswer
            }
            self = .systemd(client, session: path)
            return path
        case .glib(let connection, nil):
            let session = try SecretSession(connection, owner: owner, deadline: deadline)
            self = .glib(connection, session: session)
            return session.path
        }
    }

    /// Forgets the session, which another service does not know.
    mutating func forgetSession() {
        switch self {
        case .systemd(let client, _): self = .systemd(client, session: nil)
        case .glib(let connection, _): self = .glib(connection, session: nil)
        }
    }

    /// The secrets of items, as the service gives them, by their paths.
    func secrets(
        of paths: [String], from owner: String, _ deadline: Deadline
    ) throws(ServiceFailure) -> [String: SealedSecret] {
        let method = Method(Interfaces.service, "GetSecrets")
        let type = "(a{o(oayays)})"
        switch self {
        case .systemd(_, let session):
            let answer = try call(
                owner, SecretService.servicePath, method, [.paths(paths), .path(session ?? "/")], returning: type,
                deadline)
            return (answer.elements.first?.entries ?? [:]).mapValues { .plain($0, session: session) }
        case .glib(let connection, let session):
            let arguments = try Variant.all([.paths(paths), .path(session?.path ?? "/")]) {
                (argument) throws(ServiceFailure) in try Variant(argument, session)
            }
            let answer = try connection.call(
                owner, SecretService.servicePath, method, arguments, returning: type, deadline: deadline)
            let entries = answer.elements.first?.elements.map(\.elements) ?? []
            return Dictionary(
                entries.compactMap { entry in
                    entry[0].value.text.map { ($0, .encrypted(entry[1], session)) }
                }
            ) { $1 }
        }
    }
}

/// A secret as the service gave it.
enum SealedSecret {
    /// As it is, for the session at a path.
    case plain(BusValue, session: String?)
    case encrypted(Variant, SecretSession?)

    /// The text; nil for what is not one of the session.
    func text() -> SecretBytes? {
        switch self {
        case .encrypted(let variant, let session): return session?.open(variant)
        case .plain(let value, let session):
            let parts = value.elements
            guard parts.count == 4, let session, parts[0].text == session, let text = parts[2].bytes else { return nil }
            return text.secret.withBytes { SecretBytes(copying: $0, placement: .recycled) }
        }
    }
}

/// What is loaded to reach the service: the first that is there.
package struct ServiceLibraries: Sendable {
    /// The libraries' names, as the dynamic linker knows them.
    package var systemd = BusService.library
    package var libsecret = Libsecret.fileName

    package init() {}

    package init(systemd: String, libsecret: String = Libsecret.fileName) {
        (self.systemd, self.libsecret) = (systemd, libsecret)
    }

    /// Whether either is there.
    var isAvailable: Bool { BusClient.isAvailable(as: systemd) || Libsecret.isInstalled(as: libsecret) }
}
