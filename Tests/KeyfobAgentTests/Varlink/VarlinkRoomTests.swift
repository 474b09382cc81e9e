import Keyfob
import Synchronization
import Testing

@testable import KeyfobAgent

/// No program keeps the others out, and the owner's command is always let in.
@Suite("Room for every program")
struct VarlinkRoomTests {
    private static let echo: VarlinkServer.Answering = { call, _, replies in
        replies.send(.reply { $0.member("method", call.method) })
    }

    private var limits: VarlinkServer.Limits {
        var limits = VarlinkServer.Limits()
        (limits.connections, limits.ofProgram, limits.calls, limits.callsOfProgram) = (10, 4, 6, 2)
        limits.reserved = 2
        return limits
    }

    @Test("A program with many processes has no more connections than one with one")
    func connections() throws {
        let place = try VarlinkPlace(limits: limits, naming: { $0.number % 2 == 0 ? "a" : "b" }, answer: Self.echo)
        let clients = try (0..<20).map { _ in try place.connect() }
        place.turn()
        #expect(place.server.connectionCount == 8)
        #expect(clients.count { !$0.replies().isEmpty } == 12)
    }

    @Test("Where all is taken, there is room for the owner's command alone")
    func reserved() async throws {
        let isOwn = Mutex(false)
        let place = try VarlinkPlace(limits: limits, isOwn: { _ in isOwn.withLock { $0 } }, answer: Self.echo)
        let clients = try (0..<10).map { _ in try place.connect() }
        place.turn()
        let other = try place.connect()
        place.turn()
        #expect(other.replies().first?.contains("TryAgain") == true)
        isOwn.withLock { $0 = true }
        let own = try (0..<2).map { _ in try place.connect() }
        place.turn()
        own[1].call("a.B")
        await place.turn(until: { !own[1].replies().isEmpty })
        let late = try place.connect()
        place.turn()
        #expect(late.replies().first?.contains("TryAgain") == true)
        #expect(clients.allSatisfy { $0.replies().isEmpty })
    }

    @Test("Calls of a program that are being answered are no hindrance to others, and to lock is always possible")
    func calls() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let place = try VarlinkPlace(limits: limits, naming: { $0.number > .max - 4 ? "busy" : "other" }) {
            call, _, replies in
            if call.method == "a.Wait" { await Task { for await _ in gate.stream {} }.value }
            replies.send(.reply { $0.member("method", call.method) })
        }
        let busy = try (0..<3).map { _ in try place.connect() }
        place.turn()
        for client in busy {
            client.call("a.Wait")
            place.turn()
        }
        #expect(busy[2].replies().first?.contains("TryAgain") == true)
        let other = try place.connect()
        other.call("a.B")
        await place.turn(until: { !other.replies().isEmpty })
        busy[2].call("io.keyfob.Agent.Lock")
        await place.turn(until: { busy[2].replies() == [#"{"parameters":{"method":"io.keyfob.Agent.Lock"}}"#] })
        gate.continuation.finish()
        await place.turn(until: { busy[0].replies().count + busy[1].replies().count > 0 })
    }
}
