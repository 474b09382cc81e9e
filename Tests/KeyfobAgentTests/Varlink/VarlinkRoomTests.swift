import Keyfob
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
        limits.guests = 2
        return limits
    }

    @Test("A program with many processes has no more connections than one with one")
    func connections() throws {
        let place = try VarlinkPlace(limits: limits, naming: { $0.number % 2 == 0 ? "a" : "b" }, answer: Self.echo)
        let clients = try (0..<20).map { _ in try place.connect() }
        place.turn()
        #expect(place.server.connectionCount == 8 + 2)
        #expect(clients.count { !$0.replies().isEmpty } == 10)
    }

    @Test("Where all is taken, there is room for what the owner's command says, and for nothing else")
    func guests() async throws {
        let place = try VarlinkPlace(limits: limits, answer: Self.echo)
        let clients = try (0..<10).map { _ in try place.connect() }
        place.turn()
        for method in ["Lock", "Unlock", "Status", "Forget"] {
            let owner = try place.connect()
            place.turn()
            owner.call("io.keyfob.Agent.\(method)")
            try await place.turn(until: {
                owner.replies() == [#"{"parameters":{"method":"io.keyfob.Agent.\#(method)"}}"#]
            })
            owner.leave()
            try await place.turn(until: { place.server.connectionCount == 10 })
        }
        let program = try place.connect()
        place.turn()
        program.call("io.keyfob.Agent.Token")
        try await place.turn(until: { program.replies().first?.contains("TryAgain") == true })
        #expect(clients.allSatisfy { $0.replies().isEmpty })
    }

    @Test("Of those who come where all is taken and say nothing, the oldest go, however many there are")
    func silentGuests() async throws {
        let place = try VarlinkPlace(limits: limits, answer: Self.echo)
        let clients = try (0..<10).map { _ in try place.connect() }
        place.turn()
        let silent = try (0..<40).map { _ in try place.connect() }
        place.turn()
        let owner = try place.connect()
        owner.call("io.keyfob.Agent.Lock")
        let later = try (0..<40).map { _ in try place.connect() }
        try await place.turn(until: { owner.replies() == [#"{"parameters":{"method":"io.keyfob.Agent.Lock"}}"#] })
        #expect((silent + later).count { $0.replies().first?.contains("TryAgain") == true } >= 76)
        #expect(place.server.connectionCount <= 12 && clients.allSatisfy { $0.replies().isEmpty })
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
        try await place.turn(until: { !other.replies().isEmpty })
        busy[2].call("io.keyfob.Agent.Lock")
        try await place.turn(until: { busy[2].replies() == [#"{"parameters":{"method":"io.keyfob.Agent.Lock"}}"#] })
        gate.continuation.finish()
        try await place.turn(until: { busy[0].replies().count + busy[1].replies().count > 0 })
    }
}
