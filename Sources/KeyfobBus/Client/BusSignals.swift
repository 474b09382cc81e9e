internal import CLibsystemd
internal import Glibc

/// A signal that was heard.
package struct BusSignal: Sendable {
    package let name: String
    /// The connection that it is from, as the bus says.
    package let sender: String?
    /// The object that it is from.
    package let path: String
    package let values: [BusValue]
}

/// What is heard of signals, as long as it is kept.
@safe
package final class BusSignals {
    private let client: BusClient
    private var slots: [OpaquePointer] = unsafe []
    private let heard: Heard

    private final class Heard {
        let library: BusLibrary
        let handle: (BusSignal) -> Void

        init(_ library: BusLibrary, _ handle: @escaping (BusSignal) -> Void) {
            (self.library, self.handle) = (library, handle)
        }
    }

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - rules: What to listen to (D-Bus specification, "Match Rules").
    ///   - handle: Called with each in ``wait(atMost:)``. Whoever may send to this connection is heard: see ``BusSignal/sender``.
    /// - Throws: what the bus says of the rules.
    package init(
        _ client: BusClient, _ rules: [String], _ handle: @escaping (BusSignal) -> Void
    ) throws(BusCallFailure) {
        self.client = client
        heard = Heard(client.library, handle)
        for rule in rules {
            var slot: OpaquePointer?
            let result = unsafe client.library.functions.pointee.sd_bus_add_match(
                client.bus, &slot, rule,
                { message, heard, _ in
                    guard let heard = unsafe heard else { return 0 }
                    let own = unsafe Unmanaged<Heard>.fromOpaque(heard).takeUnretainedValue()
                    let signal = unsafe BusMessage(message, own.library)
                    if let name = signal.method, let path = signal.path {
                        own.handle(
                            BusSignal(name: name, sender: signal.sender, path: path, values: signal.values() ?? []))
                    }
                    return 0
                }, Unmanaged.passUnretained(heard).toOpaque())
            guard result >= 0, let slot = unsafe slot else { throw client.isClosed ? .closed : .timedOut }
            unsafe slots.append(slot)
        }
    }

    deinit {
        for index in unsafe slots.indices {
            _ = unsafe client.library.functions.pointee.sd_bus_slot_unref(slots[index])
        }
    }

    /// Waits until something has come, or the time is over.
    ///
    /// - Throws: `closed`.
    package func wait(atMost limit: Duration) throws(BusCallFailure) {
        let functions = client.library.functions
        let result = unsafe functions.pointee.sd_bus_process(client.bus, nil)
        guard result >= 0 else { throw .closed }
        if result == 0 { unsafe client.library.wait(for: client.bus, besides: nil, atMost: limit) }
    }
}
