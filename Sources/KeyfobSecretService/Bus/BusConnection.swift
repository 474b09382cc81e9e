internal import CLibsecret
internal import KeyfobBus

/// A private connection to a message bus by GLib, where sd-bus is not installed.
@safe
final class BusConnection {
    private let connection: GLibObject

    /// Greets the bus at the other end of `socket`.
    init(_ socket: consuming BusSocket, deadline: Deadline) throws(ServiceFailure) {
        let functions = unsafe Libsecret.functions
        var error: UnsafeMutablePointer<_GError>?
        let descriptor = socket.release()
        guard let end = unsafe functions.pointee.g_socket_new_from_fd(descriptor, &error) else {
            BusSocket.close(descriptor)
            throw unsafe ServiceFailure(consuming: error)
        }
        let endpoint = unsafe GLibObject(owning: end)
        let stream = unsafe GLibObject(
            owning: functions.pointee.g_socket_connection_factory_create_connection(endpoint.pointer))
        let cancellation = Cancellation(at: deadline, shuttingDown: endpoint)
        let flags = UInt32(libsecret_connect_as_client | libsecret_connect_to_bus)
        let made = unsafe withExtendedLifetime((endpoint, stream, cancellation)) {
            unsafe functions.pointee.g_dbus_connection_new_sync(
                stream.pointer, nil, flags, nil, cancellation.pointer, &error)
        }
        // Before the deadline finds a connection that is made.
        let isInTime = cancellation.release()
        guard let made = unsafe made else {
            let failure = unsafe ServiceFailure(consuming: error)
            // A listener that is no bus.
            throw deadline.hasPassed ? .timedOut : failure.isTimeout ? failure : .closed
        }
        let connection = unsafe GLibObject(owning: made)
        self.connection = connection
        // A program does not end because its bus does.
        unsafe functions.pointee.g_dbus_connection_set_exit_on_close(connection.pointer, 0)
        guard isInTime else { throw .timedOut }
    }

    var pointer: OpaquePointer { unsafe connection.pointer }

    var isClosed: Bool { unsafe Libsecret.functions.pointee.g_dbus_connection_is_closed(pointer) != 0 }

    /// Calls a method and waits for its answer, which has the type `type` or is a failure.
    ///
    /// Never starts a service.
    func call(
        _ destination: String, _ path: String, _ method: Method, _ arguments: [Variant], returning type: String,
        deadline: Deadline
    ) throws(ServiceFailure) -> Variant {
        var error: UnsafeMutablePointer<_GError>?
        let arguments = Variant.tuple(arguments)
        let answer = unsafe withExtendedLifetime((self, arguments)) {
            unsafe type.withCString { type in
                unsafe Libsecret.functions.pointee.g_dbus_connection_call_sync(
                    pointer, destination, path, method.interface, method.name, arguments.pointer, OpaquePointer(type),
                    UInt32(libsecret_call_without_starting), deadline.milliseconds, nil, &error)
            }
        }
        guard let answer = unsafe answer else { throw unsafe ServiceFailure(consuming: error) }
        return unsafe Variant(owning: answer)
    }
}

/// A method, or a signal, of an interface.
struct Method {
    let interface: String
    let name: String

    init(_ interface: String, _ name: String) {
        self.interface = interface
        self.name = name
    }
}
