internal import KeyfobOAuth
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Request over HTTP")
struct TransportTests {
    private let network = LoggedNetwork()
    private static let good = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

    private func post(_ behaviour: ScriptedServer.Behaviour, seconds: Int64 = 20) async throws -> Outcome {
        try await ScriptedServer.run(behaviour) { server in
            try await network.post("http://127.0.0.1:\(server.port)/token?q=SECRET-QUERY", seconds: seconds)
        }
    }

    @Test("It arrives once, as it was given, with our name and no offer to be compressed or kept")
    func request() async throws {
        try await ScriptedServer.run(.answer(Self.good)) { server in
            let outcome = try await network.post("http://127.0.0.1:\(server.port)/token?q=1")
            #expect(outcome == .answered(status: 200, body: "{}", type: "application/json"))
            #expect(server.received.count == 1)
            let lines = server.received[0].split(separator: "\r\n", omittingEmptySubsequences: false)
            #expect(lines.first == "POST /token?q=1 HTTP/1.1")
            #expect(lines.last == "grant_type=refresh_token&refresh_token=SECRET-TOKEN")
            for line in [
                "Host: 127.0.0.1:\(server.port)", "User-Agent: Keyfob/test", "Authorization: Basic SECRET-CLIENT",
                "Accept: application/json", "Accept-Encoding: identity", "Connection: close",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: 51",
            ] { #expect(lines.contains { $0.lowercased() == line.lowercased() }, "\(line)") }
            #expect(network.log == ["POST http://127.0.0.1:\(server.port)/token: 200"])
        }
    }

    @Test("A GET has no body")
    func get() async throws {
        try await ScriptedServer.run(.answer(Self.good)) { server in
            _ = try await network.get("http://localhost:\(server.port)/keys")
            #expect(server.received[0].hasPrefix("GET /keys HTTP/1.1\r\n"))
            #expect(server.received[0].hasSuffix("\r\n\r\n"))
        }
    }

    @Test("A redirection is an answer, and nobody follows it", arguments: [301, 302, 303, 307, 308])
    func redirection(status: Int) async throws {
        try await ScriptedServer.run(.silent) { target in
            let answer =
                "HTTP/1.1 \(status) Go\r\nLocation: http://127.0.0.1:\(target.port)/\r\nContent-Length: 0\r\n\r\n"
            let outcome = try await post(.answer(answer))
            #expect(outcome == .answered(status: status, body: ""))
            #expect(target.received.isEmpty)
        }
    }

    @Test("Any status is an answer", arguments: [400, 401, 404, 429, 500, 503])
    func status(status: Int) async throws {
        let answer = "HTTP/1.1 \(status) Something\r\nContent-Length: 2\r\n\r\nno"
        #expect(try await post(.answer(answer)) == .answered(status: status, body: "no"))
    }

    @Test(
        "A body is read to its end, however that is marked",
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\nwhole",
            "HTTP/1.0 200 OK\r\n\r\nwhole",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwh\r\n3\r\nole\r\n0\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole",
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole",
        ])
    func body(answer: String) async throws {
        #expect(try await post(.answer(answer)) == .answered(status: 200, body: "whole"))
    }

    @Test("A body that says it is compressed is taken as it is")
    func compressed() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"
        #expect(try await post(.answer(answer)) == .answered(status: 200, body: "plain"))
    }

    @Test(
        "After a request that was written, no whole answer means that nobody knows",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 2",
            "garbage\r\n\r\n", "HTTP/9.9 abc\r\n\r\n", "HTTP/1.1 99999 OK\r\n\r\n", "\u{0}\u{1}\u{2}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwho",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nwhole",
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n bad\r\n\r\n",
        ])
    func noAnswer(answer: String) async throws {
        try await ScriptedServer.run(.answer(answer)) { server in
            let outcome = try await network.post("http://127.0.0.1:\(server.port)/token?q=SECRET-QUERY")
            #expect(outcome == .failed(.outcomeUnknown))
            #expect(server.received.count == 1)
        }
        #expect(network.log.count == 1)
        #expect(network.log[0].hasPrefix("POST http://127.0.0.1:"))
        #expect(!network.log[0].contains("SECRET"))
    }

    @Test("A server that reads and closes is asked once, and nobody knows what it did")
    func readAndClose() async throws {
        try await ScriptedServer.run(.readAndClose) { server in
            let outcome = try await network.post("http://127.0.0.1:\(server.port)/token")
            #expect(outcome == .failed(.outcomeUnknown))
            #expect(server.received.count == 1)
        }
    }

    @Test("A server that closes at once got nothing, or nobody knows")
    func close() async throws {
        try await ScriptedServer.run(.close) { server in
            let outcome = try await network.post("http://127.0.0.1:\(server.port)/token")
            #expect(
                [.failed(.unreachable(.cutOff)), .failed(.unreachable(.broken)), .failed(.outcomeUnknown)].contains(
                    outcome))
            #expect(server.received.count == 1)
        }
    }

    @Test(
        "A server that never answers, or never ends, is given up when the time is up",
        arguments: [
            ScriptedServer.Behaviour.silent, .answerAndStay("HTTP/1.1 200 OK\r\n"),
            .answerAndStay("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
            .answerAndStay("HTTP/1.1 200 OK\r\n\r\nhalf"),
            .answerAndStay("HTTP/1.1 100 Continue\r\n\r\n"),
        ])
    func late(behaviour: ScriptedServer.Behaviour) async throws {
        #expect(try await post(behaviour, seconds: 3) == .failed(.outcomeUnknown))
        #expect(network.log.allSatisfy { $0.hasSuffix("/token: no answer came in time") })
        #expect(network.log.count == 1)
    }

    @Test(
        "An answer over the limit is not read on",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        ])
    func flood(head: String) async throws {
        try await ScriptedServer.run(.flood(head)) { server in
            let outcome = try await network.post("http://127.0.0.1:\(server.port)/token")
            #expect(outcome == .failed(.protocolViolation(.tooLarge, status: 200)))
            #expect(server.written < 64 << 20)
        }
    }

    @Test("An answer just within the limit is taken", arguments: [0, 1])
    func limit(excess: Int) async throws {
        let count = HTTPResponse.bodyLimit + excess
        let body = String(repeating: "x", count: count)
        let outcome = try await post(.answer("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n" + body))
        #expect(
            outcome
                == (excess == 0
                    ? .answered(status: 200, body: body) : .failed(.protocolViolation(.tooLarge, status: 200))))
    }

    @Test("A head without end is not read on")
    func endlessHead() async throws {
        #expect(try await post(.flood("HTTP/1.1 200 OK\r\nX: ")) == .failed(.outcomeUnknown))
    }

    @Test("Where nobody listens, nothing was sent")
    func refused() async throws {
        let port = try await ScriptedServer.run(.silent) { $0.port }
        #expect(try await network.post("http://127.0.0.1:\(port)/token?q=SECRET") == .failed(.unreachable(.refused)))
        #expect(network.log == ["POST http://127.0.0.1:\(port)/token: the connection was refused"])
    }

    @Test("A host without an address is unreachable")
    func unresolvable() async throws {
        #expect(try await network.post("https://nonexistent.invalid/token") == .failed(.unreachable(.noAddress)))
        #expect(
            network.log == ["POST https://nonexistent.invalid/token: the host name cannot be resolved"])
    }

    @Test("Without time, nothing is sent", arguments: [0, -1, Int64.min])
    func noTime(seconds: Int64) async throws {
        try await ScriptedServer.run(.answer(Self.good)) { server in
            let outcome = try await network.post("http://127.0.0.1:\(server.port)/token", seconds: seconds)
            #expect(outcome == .failed(.unreachable(.timedOut)) || !server.received.allSatisfy(\.isEmpty))
        }
    }

    @Test("A task that is cancelled does not wait")
    func cancelled() async throws {
        try await ScriptedServer.run(.answerAndStay("HTTP/1.1 200 OK\r\n\r\nhalf")) { server in
            let task = Task { [network] in
                try await network.post("http://127.0.0.1:\(server.port)/token", seconds: 600)
            }
            for _ in 0..<12_000 where server.received.allSatisfy(\.isEmpty) {
                try? await Task.sleep(for: .milliseconds(5))
            }
            task.cancel()
            let outcome = try await task.value
            #expect(outcome == .failed(.outcomeUnknown))
        }
    }

    @Test("Many at once do not disturb each other")
    func many() async throws {
        try await ScriptedServer.run(.answer(Self.good)) { server in
            let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for _ in 0..<20 { group.addTask { try await network.get("http://127.0.0.1:\(server.port)/") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 20)
            #expect(outcomes.allSatisfy { $0 == .answered(status: 200, body: "{}", type: "application/json") })
        }
    }
}
