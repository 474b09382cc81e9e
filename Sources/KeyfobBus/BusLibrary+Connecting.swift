internal import CLibsystemd
internal import Glibc

// A connection's beginning, and waiting for what comes by it.

extension BusLibrary {
    /// A connection over a socket, which it closes when it ends itself; to be given back with `sd_bus_unref`.
    func connect(_ socket: consuming BusSocket, passingDescriptors: Bool) throws(BusFailure) -> OpaquePointer {
        var made: OpaquePointer?
        let result = unsafe functions.pointee.sd_bus_new(&made)
        guard result >= 0, let bus = unsafe made else { throw .system(-result) }
        let descriptor = socket.release()
        guard unsafe functions.pointee.sd_bus_set_fd(bus, descriptor, descriptor) >= 0 else {
            BusSocket.close(descriptor)
            _ = unsafe functions.pointee.sd_bus_unref(bus)
            throw .noBus
        }
        _ = unsafe functions.pointee.sd_bus_set_bus_client(bus, 1)
        _ = unsafe functions.pointee.sd_bus_negotiate_fds(bus, passingDescriptors ? 1 : 0)
        return unsafe bus
    }

    /// Greets the bus and waits until it has answered.
    ///
    /// - Throws: `noBus` for a listener that is none; `timedOut`.
    func greet(_ bus: OpaquePointer, until deadline: Deadline) throws(BusFailure) {
        // Also for what the library calls by itself.
        _ = unsafe functions.pointee.sd_bus_set_method_call_timeout(bus, UInt64(deadline.milliseconds) * 1_000)
        guard unsafe functions.pointee.sd_bus_start(bus) >= 0 else { throw .noBus }
        while unsafe functions.pointee.sd_bus_is_ready(bus) <= 0 {
            guard !deadline.hasPassed else { throw .timedOut }
            let result = unsafe functions.pointee.sd_bus_process(bus, nil)
            guard result >= 0 else { throw deadline.hasPassed ? .timedOut : .noBus }
            if unsafe functions.pointee.sd_bus_is_ready(bus) > 0 { break }
            if result == 0 { unsafe wait(for: bus, besides: nil, atMost: deadline.remaining) }
        }
    }

    /// Waits until the bus, or `other`, has something to read, or the library something to do.
    func wait(for bus: OpaquePointer, besides other: CInt?, atMost limit: Duration?) {
        var waiting = [
            pollfd(
                fd: unsafe functions.pointee.sd_bus_get_fd(bus),
                events: Int16(truncatingIfNeeded: max(0, unsafe functions.pointee.sd_bus_get_events(bus))), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        var until = UInt64.max
        var milliseconds: Int64 = -1
        if unsafe functions.pointee.sd_bus_get_timeout(bus, &until) >= 0, until != .max {
            var now = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &now)
            let passed = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
            milliseconds = until > passed ? Int64(min((until - passed) / 1_000 + 1, 86_400_000)) : 0
        }
        if let limit {
            let most = Int64((limit / .milliseconds(1)).rounded(.up))
            milliseconds = milliseconds < 0 ? most : min(milliseconds, most)
        }
        // What interrupts it makes it look again.
        _ = unsafe poll(&waiting, 2, CInt(truncatingIfNeeded: milliseconds))
    }
}
