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
        (limits.connections, limits.ofProcess, limits.calls, limits.callsOfProcess) = (10, 4, 60, 2)
        limits.guests = 2
        return limits
    }

    /// Answers at once, but for what waits until the gate is closed.
    private static func waiting(for gate: AsyncStream<Void>) -> VarlinkServer.Answering {
        { call, _, replies in
            if call.method == "a.Wait" { await Task { for await _ in gate {} }.value }
            replies.send(.reply { $0.member("method", call.method) })
        }
    }

    @Test("A process that is there and says nothing keeps nobody out: of its connections the oldest give way")
    func connections() async throws {
        let place = try VarlinkPlace(limits: limits, ofOneProcess: true, answer: Self.echo)
        let clients = try (0..<20).map { _ in try place.connect() }
        place.turn()
        #expect(place.server.connectionCount == 4)
        #expect(clients.count { !$0.replies().isEmpty } == 16 && clients.prefix(16).allSatisfy(\.isClosed))
        clients[19].call("a.B")
        try await place.turn(until: { clients[19].replies().first?.contains("a.B") == true })
    }

    @Test("Whoever asks comes in where all places are taken by those who say nothing")
    func silent() async throws {
        let place = try VarlinkPlace(limits: limits, answer: Self.echo)
        let clients = try (0..<1_000).map { _ in
            let client = try place.connect()
            place.turn(1)
            return client
        }
        let program = try place.connect()
        place.turn()
        program.call("a.B")
        try await place.turn(until: { program.replies().first?.contains("a.B") == true })
        #expect(place.server.connectionCount <= 12)
        withExtendedLifetime(clients) {}
    }

    @Test("Where all is taken by calls, there is room for what the owner's command says, and for nothing else")
    func guests() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let place = try VarlinkPlace(limits: limits, answer: Self.waiting(for: gate.stream))
        let clients = try (0..<10).map { _ in try place.connect() }
        place.turn()
        for client in clients { client.call("a.Wait") }
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
        gate.continuation.finish()
        try await place.turn(until: { clients.allSatisfy { !$0.replies().isEmpty } })
    }

    @Test("Of those who come where all is taken by calls, and say nothing, the oldest go, however many there are")
    func silentGuests() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let place = try VarlinkPlace(limits: limits, answer: Self.waiting(for: gate.stream))
        let clients = try (0..<10).map { _ in try place.connect() }
        place.turn()
        for client in clients { client.call("a.Wait") }
        place.turn()
        let silent = try (0..<40).map { _ in try place.connect() }
        place.turn()
        let owner = try place.connect()
        owner.call("io.keyfob.Agent.Lock")
        let later = try (0..<40).map { _ in try place.connect() }
        try await place.turn(until: { owner.replies() == [#"{"parameters":{"method":"io.keyfob.Agent.Lock"}}"#] })
        #expect((silent + later).count { $0.replies().first?.contains("TryAgain") == true } >= 76)
        #expect(place.server.connectionCount <= 12 && clients.allSatisfy { $0.replies().isEmpty })
        gate.continuation.finish()
    }

    @Test("Calls of a process that are being answered are no hindrance to others, and to lock is always possible")
    func calls() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let place = try VarlinkPlace(limits: limits, ofOneProcess: true, answer: Self.waiting(for: gate.stream))
        let busy = try (0..<3).map { _ in try place.connect() }
        place.turn()
        for client in busy {
            client.call("a.Wait")
            place.turn()
        }
        #expect(busy[2].replies().first?.contains("TryAgain") == true)
        busy[2].call("io.keyfob.Agent.Lock")
        try await place.turn(until: { busy[2].replies() == [#"{"parameters":{"method":"io.keyfob.Agent.Lock"}}"#] })
        gate.continuation.finish()
        try await place.turn(until: { busy[0].replies().count + busy[1].replies().count > 0 })
    }

    @Test("However few descriptors there are, there is room for programs, and for the owner's command besides")
    func descriptors() {
        var former: VarlinkServer.Limits?
        for count in (64...4_096).map(UInt64.init) + [.max] {
            let limits = VarlinkServer.Limits(descriptors: count)
            #expect(limits.guests >= 4 && limits.connections >= 4 && limits.ofProcess >= 2, "\(count)")
            #expect(limits.ofProcess <= limits.connections / 2 && limits.callsOfProcess <= limits.calls / 2, "\(count)")
            // Each connection takes two, and what is answered some.
            #expect(UInt64(2 * (limits.connections + limits.guests)) <= max(count, 40) - 40, "\(count)")
            if let former { #expect(former.connections <= limits.connections && former.guests <= limits.guests) }
            former = limits
        }
        let usual = VarlinkServer.Limits()
        #expect(former?.connections == usual.connections && former?.guests == usual.guests)
    }

    @Test("A program has its share of calls, and strangers have one together")
    func shares() throws {
        let rooms = ProgramRooms()
        func enter(_ number: Int, isStranger: Bool) throws -> ProgramRooms.Place {
            try rooms.enter(try #require(Program(.script, "/p/\(number)"))) { isStranger }
        }
        var places = try (0..<ProgramRooms.ofProgram).map { _ in try enter(0, isStranger: false) }
        #expect(throws: KeyringError(.busy, "")) { try enter(0, isStranger: false) }
        for number in 1...(ProgramRooms.ofStrangers - ProgramRooms.ofProgram) {
            places.append(try enter(number, isStranger: true))
        }
        #expect(throws: KeyringError(.busy, "")) { try enter(1_000, isStranger: true) }
        places.append(try enter(1_001, isStranger: false))
        for place in places { rooms.leave(place) }
        for _ in 0..<ProgramRooms.ofProgram { rooms.leave(try enter(0, isStranger: true)) }
    }
}
