package import KeyfobSodium

/// The redirect address of a sign-in on this machine (RFC 8252, section 7.3).
///
/// It takes what comes to its path, as the query of a GET or the form of a POST, and shows the browser a page. Requests for
/// other paths, by other methods or with another `Host` are refused without anybody being asked. Whoever opens one
/// calls ``answer(seconds:_:)`` once, or ``close()``.
package struct LoopbackListener: Sendable {
    /// The host in the redirect address.
    package enum Host: String, Hashable, Sendable {
        /// The address; RFC 8252 prefers it.
        case ipv4 = "127.0.0.1"
        /// The address of IPv6.
        case ipv6 = "[::1]"
        /// The name, for providers that know no other; listens on IPv6 too, where there is any.
        case localhost
    }

    /// What the browser is shown, and whether that was the end.
    package struct Reply: Hashable, Sendable {
        package let page: LoopbackPage
        package let isLast: Bool

        /// The end: the listener closes when the page is written.
        package static func last(_ page: LoopbackPage) -> Reply { Reply(page: page, isLast: true) }
        /// Not what is waited for: the listener goes on.
        package static func more(_ page: LoopbackPage) -> Reply { Reply(page: page, isLast: false) }
    }

    /// How a wait ended.
    package enum Ending: Hashable, Sendable {
        /// With the last reply.
        case answered
        /// The time was up.
        case timedOut
        /// The task was cancelled, or the listener closed.
        case cancelled
    }

    /// Where the provider should lead the browser.
    package let redirectURI: String
    let door: LoopbackServer

    /// Listens on the first free port of `ports`, or on any where there are none.
    ///
    /// - Parameter requestSeconds: How long a client has to send its request.
    /// - Throws: `portInUse` with all of `ports`.
    package static func open(
        host: Host = .ipv4, ports: [Int] = [], path: String = "/callback", requestSeconds: Int64 = 10
    ) async throws(LoopbackError) -> LoopbackListener {
        guard path.isEmpty || path.hasPrefix("/"),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 }),
            ports.allSatisfy({ (1...65_535).contains($0) })
        else { throw .badAddress }
        // A free port of IPv4 may be taken in IPv6: some more tries find one that is free in both.
        for port in ports.isEmpty ? Array(repeating: 0, count: 8) : ports {
            if let door = try LoopbackServer(host, port: port, path: path, requestLimit: .seconds(requestSeconds)) {
                return LoopbackListener(redirectURI: door.address.uri, door: door)
            }
        }
        if ports.isEmpty { throw .unavailable }
        throw .portInUse(ports)
    }

    /// Gives every callback to `handle` until it says that it was the last, the time is up or the task is cancelled.
    ///
    /// The callbacks come one after the other, as a query or form without the question mark. When this returns, nothing
    /// listens any more, and the last page has been written.
    package func answer(seconds: Int64, _ handle: (consuming SecretBytes) async -> Reply) async -> Ending {
        let deadline = ContinuousClock.now + .seconds(min(max(0, seconds), 86_400))
        let ending = await withTaskCancellationHandler {
            while let callback = await door.callback(before: deadline) {
                let connection = callback.connection
                let reply = await handle(callback.takeFields())
                door.answer(reply.page, to: connection)
                guard reply.isLast else { continue }
                await door.seeOff(connection)
                return Ending.answered
            }
            return deadline <= .now && !Task.isCancelled ? .timedOut : .cancelled
        } onCancel: {
            door.shut()
        }
        door.close()
        return ending
    }

    /// Stops listening and closes what is open.
    package func close() async { door.close() }
}
