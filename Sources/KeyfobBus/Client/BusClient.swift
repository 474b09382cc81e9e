internal import CLibsystemd
internal import Glibc
package import KeyfobSodium

/// A private connection to a message bus, for calls; used by one at a time.
@safe
package final class BusClient {
    let library: BusLibrary
    let bus: OpaquePointer

    /// Whether the library of this name is here and has all that is needed.
    package static func isAvailable(as library: String = BusService.library) -> Bool {
        BusLibrary.named(library) != nil
    }

    /// Greets the bus at the other end of `socket`.
    ///
    /// - Throws: `noLibrary`; `noBus` for a listener that is none; `timedOut`.
    package init(
        _ socket: consuming BusSocket, passingDescriptors: Bool = false, library name: String = BusService.library,
        until deadline: Deadline
    ) throws(BusFailure) {
        guard let library = BusLibrary.named(name) else { throw .noLibrary }
        self.library = library
        unsafe bus = try library.connect(socket, passingDescriptors: passingDescriptors)
        try unsafe library.greet(bus, until: deadline)
    }

    deinit {
        unsafe library.functions.pointee.sd_bus_close(bus)
        _ = unsafe library.functions.pointee.sd_bus_unref(bus)
    }

    package var isClosed: Bool { unsafe library.functions.pointee.sd_bus_is_open(bus) <= 0 }

    /// Calls a method and waits for its answer: the values of type `type`, such as `oo`.
    ///
    /// Never starts a service. What carries secrets is wiped when it is done with.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusArgument],
        returning type: String, until deadline: Deadline
    ) throws(BusCallFailure) -> [BusValue] {
        let answer = try answer(to: arguments, destination, path, interface, method, until: deadline)
        guard answer.signature == type, let values = answer.values() else { throw .oddAnswer }
        return values
    }

    /// Calls a method that gives one text, and waits for it; the text is held as a secret.
    ///
    /// Never starts a service.
    ///
    /// - Parameter limit: The longest text, in bytes.
    /// - Throws: `oddAnswer` also for a longer one.
    package func text(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusArgument],
        atMost limit: Int, until deadline: Deadline
    ) throws(BusCallFailure) -> SecretBytes {
        let answer = try answer(to: arguments, destination, path, interface, method, until: deadline)
        guard answer.signature == "s", let text = answer.secret(atMost: limit) else { throw .oddAnswer }
        return text
    }

    /// Calls a method that gives a descriptor, and waits for it.
    ///
    /// - Returns: The descriptor, which is the caller's to close; nil where none comes.
    package func descriptor(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusArgument],
        until deadline: Deadline
    ) -> CInt? {
        let answer = try? answer(to: arguments, destination, path, interface, method, until: deadline)
        return answer?.descriptor()
    }

    private func answer(
        to arguments: [BusArgument], _ destination: String, _ path: String, _ interface: String, _ method: String,
        until deadline: Deadline
    ) throws(BusCallFailure) -> BusMessage {
        let functions = library.functions
        guard BusArgument.isPath(path) else { throw .unfitArgument }
        var made: OpaquePointer?
        let result = unsafe functions.pointee.sd_bus_message_new_method_call(
            bus, &made, destination, path, interface, method)
        guard result >= 0, let message = unsafe made else { throw result == -ENOTCONN ? .closed : .unfitArgument }
        defer { _ = unsafe functions.pointee.sd_bus_message_unref(message) }
        _ = unsafe functions.pointee.sd_bus_message_set_auto_start(message, 0)
        let writer = unsafe BusWriter(message, library)
        if arguments.contains(where: \.isSecret) { writer.isSensitive() }
        for argument in arguments {
            guard writer.append(argument) else { throw .unfitArgument }
        }
        let answer = try unsafe send(message, until: deadline)
        // Which answer carries a secret, its reader knows.
        answer.isSensitive()
        return answer
    }

    private func send(_ message: OpaquePointer, until deadline: Deadline) throws(BusCallFailure) -> BusMessage {
        let functions = library.functions
        var error = unsafe libsystemd_error(name: nil, message: nil, need_free: 0)
        defer { unsafe functions.pointee.sd_bus_error_free(&error) }
        var answer: OpaquePointer?
        let microseconds = UInt64(deadline.milliseconds) * 1_000
        let result = unsafe functions.pointee.sd_bus_call(bus, message, microseconds, &error, &answer)
        if result >= 0, let answer = unsafe answer {
            defer { _ = unsafe functions.pointee.sd_bus_message_unref(answer) }
            return unsafe BusMessage(answer, library)
        }
        guard let text = unsafe error.name else { throw .closed }
        let name = unsafe String(cString: text)
        if name == "org.freedesktop.DBus.Error.Timeout" { throw .timedOut }
        throw isClosed ? .closed : .remote(name)
    }
}
