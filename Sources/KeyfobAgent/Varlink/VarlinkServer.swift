internal import Glibc
internal import Keyfob
internal import KeyfobBus
internal import KeyfobModel

/// Speaks varlink with programs of this user over a unix socket (varlink.org): JSON objects, each ended by a zero byte.
///
/// One thread has all connections, by ``step(waiting:or:)``; calls are answered in tasks.
package final class VarlinkServer {
    /// Answers a call; the last reply is the answer's end.
    package typealias Answering = @Sendable (VarlinkCall, PeerProcess, VarlinkReplies) async -> Void

    private let listener: CInt
    private let limits: Limits
    private let mailbox: VarlinkMailbox
    private let now: () -> Int64
    private let peer: (CInt) -> PeerProcess?
    private let busy: VarlinkMessage
    private let otherWriter: VarlinkMessage?
    private let unanswered: VarlinkMessage?
    private let answer: Answering
    private var connections: [Int: VarlinkConnection] = [:]
    private var next = 0
    /// Who made the calls that are being answered.
    private var calls: [Int: PeerProcess] = [:]
    private var nextCall = 0
    /// Until when nobody is let in, because there are no descriptors left.
    private var pausedUntil: Int64 = 0
    private var spares = SpareDescriptors()

    /// A server; nil where there are no descriptors left.
    ///
    /// - Parameters:
    ///   - listener: A socket that listens, whoever closes it.
    ///   - busy: What is sent where there are too many connections or calls.
    ///   - otherWriter: What is sent where another process writes than the one that connected; nil where any may.
    ///   - unanswered: What is sent where a call ends without its last reply; nil for nothing.
    ///   - now: The time, in milliseconds from any moment.
    ///   - peer: Who is at the other end; nil where that one may not come.
    package init?(
        listener: CInt, limits: Limits = Limits(), busy: VarlinkMessage,
        otherWriter: VarlinkMessage? = nil, unanswered: VarlinkMessage? = nil,
        now: @escaping () -> Int64 = VarlinkServer.uptime,
        peer: @escaping (CInt) -> PeerProcess? = { try? PeerProcess.connected(to: $0) },
        answer: @escaping Answering
    ) {
        guard let mailbox = VarlinkMailbox() else { return nil }
        (self.listener, self.limits, self.mailbox, self.busy) = (listener, limits, mailbox, busy)
        (self.now, self.peer, self.answer) = (now, peer, answer)
        (self.otherWriter, self.unanswered) = (otherWriter, unanswered)
        spares.fill()
    }

    /// Lets nobody in any more, answers what it has begun to answer, and leaves all others; who watches is one of them.
    package func dismiss() {
        pausedUntil = .max
        for connection in connections.values { connection.dismiss() }
        connections = connections.filter { !$0.value.isGone }
    }

    deinit { for connection in connections.values { connection.leave() } }

    /// How many connections there are.
    package var connectionCount: Int { connections.count }
    /// Whether nobody is there and nothing is being answered.
    package var isIdle: Bool { connections.isEmpty && calls.isEmpty }

    /// Does what there is to do, once there is something, or the time is over.
    ///
    /// - Parameters:
    ///   - milliseconds: How long to wait for it at most.
    ///   - others: Descriptors that are waited for too.
    /// - Returns: Those of them that can be read.
    package func step(waiting milliseconds: Int64, or others: [CInt] = []) -> Set<CInt> {
        let start = now()
        spares.fill()
        let until = connections.values.compactMap(\.deadline).min().map { max(0, $0 - start) } ?? milliseconds
        let order = connections.keys.sorted()
        let door = pausedUntil > start ? -1 : listener
        var waiting = ([mailbox.descriptor, door] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let own = waiting.count
        for number in order {
            guard let connection = connections[number] else { continue }
            waiting.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
        }
        let pause = min(milliseconds, until, door < 0 ? 100 : .max, 60_000)
        guard unsafe poll(&waiting, nfds_t(waiting.count), CInt(pause)) >= 0 else { return [] }
        let time = now()
        for item in mailbox.takeAll() { take(item, time) }
        for (number, wait) in zip(order, waiting[own...]) where wait.revents != 0 {
            let isBroken = CInt(wait.revents) & (POLLHUP | POLLERR) != 0
            if isBroken || CInt(wait.revents) & POLLIN != 0 {
                connections[number]?.receive(isBroken: isBroken, time)
            }
            if CInt(wait.revents) & POLLOUT != 0 { connections[number]?.flush(time) }
        }
        for (number, connection) in connections {
            begin(connection, number, time)
            connection.expire(time)
        }
        connections = connections.filter { !$0.value.isGone }
        if waiting[1].revents != 0 { accept(time) }
        return Set(waiting[2..<own].filter { $0.revents != 0 }.map(\.fd))
    }

    private func take(_ item: VarlinkItem, _ time: Int64) {
        switch item {
        case .reply(let message, let number, let call):
            guard let connection = connections[number], connection.call == call, !connection.isAnswered else { return }
            connection.isAnswered = !message.continues
            connection.send(message, time)
        case .end(let number, let call):
            calls[call] = nil
            if let unanswered, connections[number]?.isAnswered == false { connections[number]?.send(unanswered, time) }
            connections[number]?.call = nil
            connections[number]?.task = nil
            connections[number]?.isOneway = false
            connections[number]?.isWatching = false
            connections[number]?.flush(time)
            if connections[number]?.isGuest == true { connections[number]?.dismiss() }
        }
    }

    /// Answers the next call of a connection, if there is one.
    private func begin(_ connection: VarlinkConnection, _ number: Int, _ time: Int64) {
        while let call = connection.nextCall(time) {
            (connection.isOneway, connection.isWatching) = (call.isOneway, call.wantsMore)
            guard !call.wantsUpgrade, hasRoom(for: call, of: connection) else {
                let refusal =
                    call.wantsUpgrade
                    ? VarlinkMessage.error("org.varlink.service.MethodNotImplemented") {
                        $0.member("method", call.method)
                    }
                    : busy
                connection.send(refusal, time)
                (connection.isOneway, connection.isWatching) = (false, false)
                if connection.isGuest { connection.dismiss() }
                continue
            }
            let own = nextCall
            nextCall += 1
            calls[own] = connection.peer
            (connection.call, connection.isAnswered) = (own, false)
            let replies = VarlinkReplies(connection: number, call: own, mailbox: mailbox)
            connection.task = StoreCall.start(on: AgentInterface.threads(for: call.method)) {
                [answer, peer = connection.peer] in
                await answer(call, peer, replies)
                replies.mailbox.put(.end(connection: number, call: own))
            }
        }
    }

    /// Whether one more call may be answered.
    ///
    /// To lock takes no time, and is never too much.
    private func hasRoom(for call: VarlinkCall, of connection: VarlinkConnection) -> Bool {
        if call.method == AgentInterface.lock { return true }
        if AgentInterface.owners.contains(call.method), calls.count < limits.calls + limits.guests { return true }
        let own = calls.values.count { $0.number == connection.peer.number }
        return !connection.isGuest && calls.count < limits.calls && own < limits.callsOfProcess
    }

    /// Makes room for one more connection of a process: one that asks nothing gives way, of the same process where that has its
    /// share, else of that which has most, so that no program keeps others out by being there.
    ///
    /// - Returns: Whether there is room.
    private func makeRoom(for peer: PeerProcess, _ time: Int64) -> Bool {
        var (counts, all): ([Int32: Int], Int) = ([:], 0)
        for connection in connections.values where !connection.isGuest {
            counts[connection.peer.number, default: 0] += 1
            all += 1
        }
        let hasShare = counts[peer.number, default: 0] >= limits.ofProcess
        if all < limits.connections, !hasShare { return true }
        let first = firstToGo(counts) { !$0.isGuest && (!hasShare || $0.peer.number == peer.number) }
        guard let first else { return false }
        sendAway(first, time)
        return true
    }

    /// Which connection gives way first, of those that ask nothing: the oldest of the process that has most.
    private func firstToGo(_ counts: [Int32: Int], where mayGo: (VarlinkConnection) -> Bool) -> Int? {
        var first: (number: Int, count: Int)?
        for (number, connection) in connections where connection.isSilent && mayGo(connection) {
            let count = counts[connection.peer.number, default: 0]
            if let first, (count, -number) <= (first.count, -first.number) { continue }
            first = (number, count)
        }
        return first?.number
    }

    private func sendAway(_ number: Int, _ time: Int64) {
        connections[number]?.send(busy, time)
        connections[number]?.leave()
        connections[number] = nil
    }

    /// Makes room for one more guest; false where all of them are being answered.
    private func makeRoomForGuest(_ time: Int64) -> Bool {
        guard connections.values.count(where: \.isGuest) >= limits.guests else { return true }
        guard let oldest = firstToGo([:], where: \.isGuest) else { return false }
        sendAway(oldest, time)
        return true
    }

    /// How many are let in at a time.
    private static let accepted = 128

    /// Lets in who waits.
    private func accept(_ time: Int64) {
        // Whoever knocks without end does not keep the others waiting.
        for _ in 0..<Self.accepted {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE {
                    if makeDescriptors(time) { continue }
                    pausedUntil = time + 100
                }
                return
            }
            guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                let peer = inspected(descriptor, time)
            else {
                close(descriptor)
                continue
            }
            let connection = VarlinkConnection(descriptor, peer, limits, otherWriter: otherWriter)
            if otherWriter != nil, !PeerProcess.isAskedForWriters(descriptor) {
                // It has connected before the listening socket asked: what it wrote until now may name nobody.
                PeerProcess.askForWriters(at: descriptor)
                connection.mayBeUnnamed = true
            }
            connection.isGuest = !makeRoom(for: peer, time)
            guard !connection.isGuest || makeRoomForGuest(time) else {
                // It goes with the connection, which nobody keeps.
                connection.send(busy, time)
                continue
            }
            connections[next] = connection
            // What it has said already is heard before the next one comes, which it might have to make room for.
            connection.receive(isBroken: false, time)
            begin(connection, next, time)
            // Whoever has said nothing that makes sense learns it now, not when somebody else says something.
            if connection.isGone { connections[next] = nil }
            next += 1
        }
    }

    /// Who is at the other end, for which a descriptor may be needed.
    private func inspected(_ descriptor: CInt, _ time: Int64) -> PeerProcess? {
        if let peer = peer(descriptor) { return peer }
        // Whoever has ended is as well none.
        guard SpareDescriptors.areLacking, makeDescriptors(time) else { return nil }
        return peer(descriptor)
    }

    /// Has the process able to let somebody in although it has all descriptors that it may have: those that were spared, or that of
    /// a connection which asks nothing.
    ///
    /// - Returns: Whether there are some.
    private func makeDescriptors(_ time: Int64) -> Bool {
        if spares.release() { return true }
        var counts: [Int32: Int] = [:]
        for connection in connections.values { counts[connection.peer.number, default: 0] += 1 }
        guard let first = firstToGo(counts, where: \.isGuest) ?? firstToGo(counts, where: { _ in true }) else {
            return false
        }
        sendAway(first, time)
        return true
    }

    /// Milliseconds since the machine started, while it slept too.
    package static func uptime() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
