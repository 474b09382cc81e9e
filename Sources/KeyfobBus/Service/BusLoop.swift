internal import CLibsystemd
internal import Glibc
internal import KeyfobSodium

/// A connection to a bus, all of it on one thread.
@safe
final class BusLoop {
    private let library: BusLibrary
    private let object: BusObject
    private let outbox: BusOutbox
    private let handle: @Sendable (BusCall) -> Void
    private let bus: OpaquePointer
    private var calls: [UInt64: OpenCall] = [:]
    private var lastID: UInt64 = 0
    private var isRetired = false

    /// How many messages are looked at before answers have their turn.
    private static let share = 64

    /// A call without its answer.
    private struct OpenCall {
        let message: BusMessage
        let sender: String
        var question: Question?
        weak var call: BusCall?
    }

    /// What the bus is asked about the sender of a call.
    private final class Question {
        unowned let loop: BusLoop
        let id: UInt64

        init(_ loop: BusLoop, _ id: UInt64) { (self.loop, self.id) = (loop, id) }
    }

    /// A connection over a socket.
    init(
        _ library: BusLibrary, _ socket: consuming BusSocket, _ object: BusObject, _ outbox: BusOutbox,
        _ handle: @escaping @Sendable (BusCall) -> Void
    ) throws(BusFailure) {
        (self.library, self.object, self.outbox, self.handle) = (library, object, outbox, handle)
        unsafe bus = try library.connect(socket, passingDescriptors: true)
    }

    deinit {
        calls = [:]
        unsafe library.functions.pointee.sd_bus_close(bus)
        _ = unsafe library.functions.pointee.sd_bus_unref(bus)
    }

    // MARK: Beginning

    /// Puts the object there and takes its name.
    func open(until deadline: Deadline) throws(BusFailure) {
        let functions = library.functions
        try unsafe library.greet(bus, until: deadline)
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        try check(
            unsafe functions.pointee.sd_bus_add_object(
                bus, nil, object.path,
                { message, loop, _ in
                    guard let loop = unsafe loop else { return 0 }
                    return unsafe Unmanaged<BusLoop>.fromOpaque(loop).takeUnretainedValue().received(message)
                }, own))
        let departures =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
            + "member='NameOwnerChanged',arg2=''"
        try check(
            unsafe functions.pointee.sd_bus_add_match(
                bus, nil, departures,
                { message, loop, _ in
                    guard let loop = unsafe loop else { return 0 }
                    unsafe Unmanaged<BusLoop>.fromOpaque(loop).takeUnretainedValue().left(message)
                    return 0
                }, own))
        // Without flags: neither waits for the name nor takes it from anybody, and gives it to nobody.
        let result = unsafe functions.pointee.sd_bus_request_name(bus, object.name, 0)
        switch -result {
        case EEXIST: throw .nameTaken
        case EACCES, EPERM: throw .nameRefused
        default: try check(result)
        }
    }

    private func check(_ result: CInt) throws(BusFailure) {
        switch -result {
        case ...0: break
        case ENOTCONN, ECONNRESET, EPIPE, ETIMEDOUT: throw .noBus
        default: throw .system(-result)
        }
    }

    // MARK: Going on

    /// Serves until it is told to end or the bus goes away.
    func run() -> BusFailure? {
        var failure: BusFailure?
        serving: while true {
            for item in outbox.takeAll() {
                switch item {
                case .text(let id, let text): answer(id) { $0.reply(text) }
                case .error(let id, let name, let words): answer(id) { $0.error(name, words) }
                case .retire: retire()
                case .stop: break serving
                }
            }
            var result: CInt = 1
            var count = 0
            while result > 0 && count < Self.share {
                result = unsafe library.functions.pointee.sd_bus_process(bus, nil)
                count += 1
            }
            if result < 0 {
                failure = .ended
                break
            }
            if isRetired && result == 0 && calls.isEmpty { break }
            unsafe library.wait(for: bus, besides: outbox.descriptor, atMost: nil)
        }
        if failure == nil { _ = unsafe library.functions.pointee.sd_bus_flush(bus) }
        for open in calls.values { open.call?.isLeft() }
        calls = [:]
        return failure
    }

    private func retire() {
        guard !isRetired else { return }
        isRetired = true
        // What came before the bus has answered is still ours.
        _ = unsafe library.functions.pointee.sd_bus_release_name(bus, object.name)
    }

    private func answer(_ id: UInt64, _ body: (BusMessage) -> Void) {
        guard let open = calls.removeValue(forKey: id) else { return }
        body(open.message)
    }

    // MARK: Calls

    private func received(_ pointer: OpaquePointer) -> CInt {
        let message = unsafe BusMessage(pointer, library)
        message.isSensitive()
        guard let method = message.method else { return 0 }
        if message.interface == "org.freedesktop.DBus.Introspectable", method == "Introspect" {
            message.reply(BusText(Array(object.introspection.utf8).withBytes { SecretBytes(copying: $0) }))
            return 1
        }
        guard message.interface ?? object.interface == object.interface,
            let known = object.methods.first(where: { $0.name == method })
        else { return 0 }
        guard message.expectsReply, let sender = message.sender else { return 1 }
        guard message.signature == String(repeating: "s", count: known.arguments.count), !known.arguments.isEmpty else {
            message.error("org.freedesktop.DBus.Error.InvalidArgs", "\(method) takes texts: \(known.arguments)")
            return 1
        }
        let limits = object.limits
        guard calls.count < limits.calls,
            calls.values.count(where: { $0.sender == sender }) < limits.callsOfSender
        else {
            message.error("org.freedesktop.DBus.Error.LimitsExceeded", "too many calls are open; try again later")
            return 1
        }
        lastID += 1
        ask(OpenCall(message: message, sender: sender), lastID)
        return 1
    }

    /// Asks the bus who made a call.
    private func ask(_ open: OpenCall, _ id: UInt64) {
        let question = Question(self, id)
        calls[id] = open
        calls[id]?.question = question
        let isAsked = unsafe message(for: "GetConnectionCredentials", of: open.sender) { message in
            unsafe library.functions.pointee.sd_bus_call_async(
                bus, nil, message,
                { message, question, _ in
                    guard let question = unsafe question else { return 0 }
                    let asked = unsafe Unmanaged<Question>.fromOpaque(question).takeUnretainedValue()
                    unsafe asked.loop.identified(asked.id, message)
                    return 1
                }, Unmanaged.passUnretained(question).toOpaque(), 0) >= 0
        }
        if !isAsked { unidentified(id) }
    }

    private func message(for method: String, of name: String, _ body: (OpaquePointer) -> Bool) -> Bool {
        let functions = library.functions
        var made: OpaquePointer?
        guard
            unsafe functions.pointee.sd_bus_message_new_method_call(
                bus, &made, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method) >= 0,
            let message = unsafe made
        else { return false }
        defer { _ = unsafe functions.pointee.sd_bus_message_unref(message) }
        let isNamed = unsafe name.withCString { name in
            unsafe functions.pointee.sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), name) >= 0
        }
        return unsafe isNamed && body(message)
    }

    private func unidentified(_ id: UInt64) {
        answer(id) { $0.error("org.freedesktop.DBus.Error.AccessDenied", "the bus does not tell who asks") }
    }

    /// Hands a call over, now that it is known who made it.
    private func identified(_ id: UInt64, _ pointer: OpaquePointer) {
        guard let open = calls[id] else { return }
        let message = unsafe BusMessage(pointer, library)
        guard let method = open.message.method, let caller = message.caller(open.sender) else {
            return unidentified(id)
        }
        let count = object.methods.first { $0.name == method }?.arguments.count ?? 1
        var arguments: [String] = []
        for _ in 1..<max(1, count) {
            guard let text = open.message.text(atMost: object.limits.argumentCount) else { return isTooLong(id) }
            arguments.append(text)
        }
        switch open.message.secret(atMost: object.limits.bodyCount) {
        case .some(let body):
            let call = BusCall(id, outbox, caller: caller, method: method, arguments: arguments, body: body)
            calls[id]?.call = call
            calls[id]?.question = nil
            handle(call)
        case nil: isTooLong(id)
        }
    }

    private func isTooLong(_ id: UInt64) {
        answer(id) { $0.error("org.freedesktop.DBus.Error.LimitsExceeded", "an argument is too long") }
    }

    /// Somebody has left the bus: nobody waits for the answers to their calls.
    private func left(_ pointer: OpaquePointer) {
        guard let name = unsafe BusMessage(pointer, library).text(atMost: 256) else { return }
        for (id, open) in calls where open.sender == name && open.question == nil {
            calls[id] = nil
            open.call?.isLeft()
        }
    }
}
