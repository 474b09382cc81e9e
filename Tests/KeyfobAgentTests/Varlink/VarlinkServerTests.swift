import Foundation
import Keyfob
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

private typealias Turn = AgentSocket.Turn

/// A server that programs treat badly.
@Suite("Programs that speak varlink, well and badly")
struct VarlinkServerTests {
    /// Answers with the name of the method.
    private static let echo: VarlinkServer.Answering = { call, _, replies in
        replies.send(.reply { $0.member("method", call.method) })
    }

    private func said(_ method: String) -> String { #"{"parameters":{"method":"\#(method)"}}"# }

    @Test("Calls of a connection are answered in their order, however they come")
    func order() async throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let client = try place.connect()
        let calls = (0..<50).map { #"{"method":"a.M\#($0)"}"# + "\0" }.joined()
        for byte in calls.utf8.prefix(200) {
            client.send([byte])
            place.turn(1)
        }
        client.send(String(calls.dropFirst(200)))
        var replies: [String] = []
        try await place.turn(until: {
            replies += client.replies()
            return replies.count == 50
        })
        #expect(replies == (0..<50).map { said("a.M\($0)") })
    }

    @Test("A call has one last reply, whatever is sent for it, and nothing comes behind that")
    func oneAnswer() async throws {
        // What is sent for a call: parts of an answer, and last ones; and once it has ended, by whoever still has the call.
        let place = try VarlinkPlace { call, _, replies in
            let words = call.method.split(separator: ".")[1]
            for (number, word) in words.dropFirst().enumerated() {
                let message = VarlinkMessage.reply(continues: word == "p") { $0.member("n", number) }
                if word == "l" { Task { replies.send(message) } } else { replies.send(message) }
            }
        }
        var random = SeededGenerator(seed: 43)
        let client = try place.connect()
        var replies: [String] = []
        for _ in 0..<300 {
            let words = (0..<Int.random(in: 0...5, using: &random)).map { _ in "pf".randomElement(using: &random) ?? "p"
            }
            let late = Bool.random(using: &random) ? "l" : ""
            client.call("a.X" + String(words) + late, #","more":true"#)
            let last = words.firstIndex(of: "f")
            let expected = words[..<(last ?? words.count)].count + 1
            replies = []
            try await place.turn(until: {
                replies += client.replies()
                return replies.count >= expected && replies.last?.contains("continues") == false
            })
            place.turn()
            replies += client.replies()
            #expect(replies.count == expected || last == nil && !late.isEmpty, "\(words) \(replies)")
            #expect(replies.count { !$0.contains("continues") } == 1, "\(words) \(replies)")
            #expect(replies.last?.contains("Failed") == (last == nil) || !late.isEmpty, "\(words) \(replies)")
        }
    }

    @Test("A call that wants no reply gets none, and the next one its own")
    func oneway() async throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let client = try place.connect()
        client.call("a.One", #","oneway":true"#)
        client.call("a.Two")
        var replies: [String] = []
        try await place.turn(until: {
            replies += client.replies()
            return !replies.isEmpty
        })
        #expect(replies == [said("a.Two")])
    }

    @Test("Nobody gets another protocol")
    func upgrade() throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let client = try place.connect()
        client.call("a.One", #","upgrade":true"#)
        place.turn()
        #expect(
            client.replies() == [
                #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.One"}}"#
            ])
    }

    @Test(
        "What is no call ends the connection", arguments: ["{", "", "{\"method\":7}", "GET / HTTP/1.1"])
    func malformed(text: String) throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let client = try place.connect()
        client.send(text + "\0")
        // At once: the next step may be a minute away.
        place.turn(1)
        _ = client.replies()
        #expect(client.isClosed)
        #expect(place.server.connectionCount == 0)
    }

    @Test("Of 16 MB no more is taken than a message may have")
    func tooLong() throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let client = try place.connect()
        let part = [UInt8](repeating: 0x20, count: 1 << 16)
        var sent = 0
        while sent < 16 << 20, !client.isClosed {
            sent += max(0, client.send(part))
            place.turn(1)
            _ = client.replies()
        }
        #expect(client.isClosed)
        #expect(sent < 3 << 20)
        #expect(place.server.connectionCount == 0)
    }

    @Test("The rest of a message is waited for a minute")
    func halfMessage() async throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let (client, idle) = (try place.connect(), try place.connect())
        client.send(#"{"method":"#)
        place.turn()
        place.advance(59_999)
        client.send(#""a.B""#)
        place.turn()
        #expect(place.server.connectionCount == 2)
        place.advance(1)
        place.turn()
        #expect(place.server.connectionCount == 1)
        idle.call("a.B")
        try await place.turn(until: { !idle.replies().isEmpty })
    }

    @Test("Who reads nothing for half a minute is left, and so is who lets too much wait")
    func neverReads() async throws {
        let text = String(repeating: "x", count: 1 << 16)
        let place = try VarlinkPlace { call, _, replies in
            for _ in 0..<(call.method == "a.Much" ? 100 : 20) {
                replies.send(.reply(continues: true) { $0.member("t", text) })
            }
        }
        let (some, much) = (try place.connect(), try place.connect())
        some.call("a.Some", #","more":true"#)
        place.turn()
        much.call("a.Much", #","more":true"#)
        try await place.turn(until: { place.server.connectionCount == 1 })
        place.advance(29_999)
        place.turn()
        #expect(place.server.connectionCount == 1)
        place.advance(1)
        place.turn()
        #expect(place.server.connectionCount == 0)
    }

    @Test("A thousand connections of one process leave room for others")
    func many() throws {
        var limits = VarlinkServer.Limits()
        limits.connections = 100
        (limits.ofProcess, limits.guests) = (64, 0)
        let place = try VarlinkPlace(limits: limits, ofOneProcess: true, answer: Self.echo)
        var (kept, refused) = ([VarlinkPlace.Client](), 0)
        for _ in 0..<1_000 {
            let client = try place.connect()
            place.turn(1)
            if let told = client.replies().first {
                #expect(told.hasPrefix(#"{"error":"io.keyfob.Agent.TryAgain""#))
                #expect(client.isClosed)
                refused += 1
            } else {
                kept.append(client)
            }
        }
        place.turn()
        refused += kept.count { $0.replies().count > 0 }
        #expect(place.server.connectionCount == 64)
        #expect(refused == 1_000 - 64)
    }

    @Test("Whoever is left sees it at once, though a process that is just being started has a copy of the descriptor")
    func copied() throws {
        var ends: [CInt] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let copy = dup(ends[0])
        defer { for end in [copy, ends[1]] { close(end) } }
        do {
            _ = VarlinkConnection(ends[0], try #require(FakeProcesses().peer()), VarlinkServer.Limits())
        }
        var byte: UInt8 = 0
        #expect(unsafe recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    }

    @Test("There are no more connections than may be, of however many processes")
    func allConnections() async throws {
        var limits = VarlinkServer.Limits()
        (limits.connections, limits.guests) = (10, 0)
        let place = try VarlinkPlace(limits: limits, answer: Self.echo)
        let clients = try (0..<20).map { _ in try place.connect() }
        place.turn()
        #expect(place.server.connectionCount == 10)
        for client in clients.suffix(10) { client.leave() }
        place.turn()
        let late = try place.connect()
        late.call("a.B")
        try await place.turn(until: { late.replies() == [said("a.B")] })
    }

    @Test("What answers a program that has gone is told so, and others go on")
    func vanishes() async throws {
        let ended = Mutex(false)
        let place = try VarlinkPlace { call, _, replies in
            guard call.method == "a.Wait" else { return replies.send(.reply()) }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            withExtendedLifetime(continuation) {}
            ended.withLock { $0 = true }
        }
        let (client, other) = (try place.connect(), try place.connect())
        client.call("a.Wait", #","more":true"#)
        place.turn()
        client.leave()
        try await place.turn(until: { ended.withLock { $0 } })
        #expect(place.server.connectionCount == 1)
        other.call("a.B")
        try await place.turn(until: { !other.replies().isEmpty })
        other.leave()
        try await place.turn(until: { place.server.isIdle })
    }

    @Test("Calls that nobody waits for any more count, so that not more and more are answered")
    func abandoned() async throws {
        var limits = VarlinkServer.Limits()
        limits.calls = 2
        let gate = AsyncStream.makeStream(of: Void.self)
        let place = try VarlinkPlace(limits: limits) { _, _, replies in
            // As a refresh does, it goes on whoever has left.
            await Task { for await _ in gate.stream {} }.value
            replies.send(.reply())
        }
        for _ in 0..<2 {
            let client = try place.connect()
            client.call("a.B")
            place.turn()
            client.leave()
            place.turn()
        }
        let client = try place.connect()
        client.call("a.B")
        place.turn()
        #expect(client.replies().first?.contains("TryAgain") == true)
        gate.continuation.finish()
        try await place.turn(until: { place.server.isIdle || place.server.connectionCount == 1 })
    }

    @Test("A program that has said all gets its answers, and is then left")
    func halfClosed() async throws {
        let place = try VarlinkPlace(answer: Self.echo)
        let client = try place.connect()
        client.call("a.B")
        client.call("a.C")
        shutdown(client.descriptor, Int32(SHUT_WR))
        var replies: [String] = []
        try await place.turn(until: {
            replies += client.replies()
            return client.isClosed
        })
        #expect(replies == [said("a.B"), said("a.C")])
    }

    @Test("At the end nobody is let in, who was asking is answered once, and others are left")
    func dismissal() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let place = try VarlinkPlace { call, _, replies in
            await Task { for await _ in gate.stream {} }.value
            replies.send(.reply { $0.member("method", call.method) })
        }
        let (asking, watching, idle) = (try place.connect(), try place.connect(), try place.connect())
        asking.call("a.B")
        asking.call("a.C")
        watching.call("a.D", #","more":true"#)
        place.turn()
        place.server.dismiss()
        let late = try place.connect()
        late.call("a.E")
        asking.call("a.F")
        place.turn()
        #expect(place.server.connectionCount == 1 && !place.server.isIdle)
        #expect(watching.replies().isEmpty && watching.isClosed)
        #expect(idle.replies().isEmpty && idle.isClosed)
        #expect(asking.replies().isEmpty && !asking.isClosed)
        gate.continuation.finish()
        try await place.turn(until: { place.server.isIdle })
        #expect(asking.replies() == [said("a.B")])
        _ = asking.replies()
        #expect(asking.isClosed && late.replies().isEmpty && !late.isClosed)
    }

    @Test("Who may not come is let go without a word")
    func refused() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/agent"
        let socket = try AgentSocket(at: path, Turn(at: path, of: "v"))
        let server = try #require(
            VarlinkServer(listener: socket.descriptor, busy: SocketDoor.busy(), peer: { _ in nil }, answer: Self.echo))
        let client = try VarlinkPlace.Client(path)
        client.call("a.B")
        _ = server.step(waiting: 0)
        #expect(client.replies().isEmpty)
        #expect(client.isClosed && server.connectionCount == 0)
    }
}

/// The socket: one agent at each, and nothing else in its place.
@Suite("The socket of an agent")
struct AgentSocketTests {
    let scratch: ScratchFolder
    var path: String { scratch.path + "/agent" }

    init() throws { scratch = try ScratchFolder() }

    @Test("It is its owner's alone, takes the place of one that was left behind, and goes with the agent")
    func stale() throws {
        for _ in 0..<2 {
            let turn = try Turn(at: path, of: "v")
            let socket = try AgentSocket(at: path, turn)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            _ = try VarlinkPlace.Client(path)
            // As after a crash.
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
            _ = consume socket
            #expect(!FileManager.default.fileExists(atPath: path))
            waitUntilUnheard()
            try #require(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
        }
    }

    @Test("A second agent is told of the first, by its number")
    func second() throws {
        let turn = try Turn(at: path, of: "v")
        func refusal() -> String? {
            failure(of: KeyringError.self) { _ = try Turn(at: path, of: "v") }
                .flatMap { $0.code == .alreadyExists ? $0.message : nil }
        }
        let runs = "an agent runs already (process \(getpid()))"
        #expect(refusal()?.hasPrefix(runs + ", which nobody reaches") == true)
        let socket = try AgentSocket(at: path, turn)
        #expect(refusal() == runs)
        _ = consume socket
        _ = consume turn
        _ = try Turn(at: path, of: "v")
    }

    @Test("What is no socket stays where it is")
    func inTheWay() throws {
        try scratch.write("agent", Array("mine".utf8))
        #expect(throws: KeyringError(.configuration, "")) { _ = try AgentSocket(at: path, Turn(at: path, of: "v")) }
        #expect(try scratch.read("agent") == Array("mine".utf8))
    }

    @Test("Where somebody listens, as systemd does, nothing takes that one's place")
    func heard() throws {
        let socket = try AgentSocket(at: path, Turn(at: path, of: "v"))
        #expect(AgentSocket.isHeard(path))
        #expect(throws: KeyringError(.alreadyExists, "")) { _ = try AgentSocket(at: path, Turn(at: path, of: "v")) }
        _ = try VarlinkPlace.Client(path)
        _ = consume socket
        waitUntilUnheard()
        #expect(!AgentSocket.isHeard(path))
    }

    /// A program that is just being started may have a copy of the socket.
    private func waitUntilUnheard() {
        for _ in 0..<2_000 where AgentSocket.isHeard(path) { usleep(5_000) }
    }

    @Test("A path that is too long is told of")
    func longPath() throws {
        let long = scratch.path + "/" + String(repeating: "a", count: 100)
        #expect(throws: KeyringError(.configuration, "")) { _ = try AgentSocket(at: long, Turn(at: long, of: "v")) }
    }

    @Test(
        "A socket is taken from systemd only where one was given to this process",
        arguments: [[:], ["LISTEN_PID": "1", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"]])
    func notGiven(environment: [String: String]) throws {
        let socket = try AgentSocket(given: environment)
        let isGiven = socket != nil
        #expect(!isGiven)
    }
}
