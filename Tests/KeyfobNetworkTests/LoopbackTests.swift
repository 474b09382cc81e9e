internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Synchronization
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Redirect address on this machine")
struct LoopbackTests {
    /// What came to a listener, and how the wait ended.
    private final class Wait: Sendable {
        let listener: LoopbackListener
        let port: Int
        private let fields = Mutex<[String]>([])

        init(
            host: LoopbackListener.Host = .ipv4, ports: [Int] = [], path: String = "/callback",
            requestSeconds: Int64 = 120
        ) async throws {
            listener = try await LoopbackListener.open(
                host: host, ports: ports, path: path, requestSeconds: requestSeconds)
            port = Int(listener.redirectURI.split(separator: ":")[2].prefix { $0 != "/" }) ?? 0
        }

        var received: [String] { fields.withLock { $0 } }

        /// Waits until a callback says `end`.
        func answer(seconds: Int64 = 300) async -> LoopbackListener.Ending {
            await listener.answer(seconds: seconds) { callback in
                let text = text(callback)
                fields.withLock { $0.append(text) }
                return text.contains("end") ? .last(.signedIn) : .more(.failed("Not <yet>"))
            }
        }

        func get(_ target: String) -> String { Browser.get(target, port: port) }
    }

    @Test("The query of a GET comes in, and the page goes out whole before the port is closed")
    func get() async throws {
        let wait = try await Wait()
        #expect(wait.listener.redirectURI == "http://127.0.0.1:\(wait.port)/callback")
        async let ending = wait.answer()
        let page = try await Browser.send(wait.get("/callback?code=a%20b&state=x?end"), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["code=a%20b&state=x?end"])
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(page.contains("You can close this tab."))
        #expect(page.hasSuffix("</html>\n"))
        #expect(!page.contains("a%20b"))
        await #expect(throws: (any Error).self) { try await Browser.send(wait.get("/callback?end=1"), to: wait.port) }
    }

    @Test("A redirect address without a path takes what comes to the root")
    func withoutPath() async throws {
        let wait = try await Wait(host: .localhost, path: "")
        #expect(wait.listener.redirectURI == "http://localhost:\(wait.port)")
        async let ending = wait.answer()
        let other = Browser.get("/callback?end=1", port: wait.port, host: "localhost")
        #expect(try await Browser.send(other, to: wait.port).hasPrefix("HTTP/1.1 404 "))
        let root = Browser.get("/?code=a&end=1", port: wait.port, host: "localhost")
        #expect(try await Browser.send(root, to: wait.port).hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(await ending == .answered)
        #expect(wait.received == ["code=a&end=1"])
    }

    @Test("An address of IPv6 is listened at in IPv6 alone")
    func ipv6() async throws {
        let listener = try await LoopbackListener.open(host: .ipv6, path: "/back")
        let port = try #require(Int(listener.redirectURI.dropFirst("http://[::1]:".count).prefix { $0 != "/" }))
        #expect(listener.redirectURI == "http://[::1]:\(port)/back")
        async let ending = listener.answer(seconds: 60) { _ in .last(.signedIn) }
        let request = Browser.get("/back?code=a", port: port, host: "[::1]")
        #expect(try await Browser.send(request, to: port, host: "::1").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(await ending == .answered)
    }

    @Test("The form of a POST comes in")
    func post() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        let long = String(repeating: "x", count: 60_000)
        let type = "Application/x-www-form-urlencoded; charset=UTF-8"
        let page = try await Browser.send(Browser.post("end=\(long)", port: wait.port, type: type), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["end=\(long)"])
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("Every page forbids scripts, frames, referrers and caches")
    func headers() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        for target in ["/callback?more=1", "/favicon.ico", "/callback?end=1"] {
            let page = try await Browser.send(wait.get(target), to: wait.port).lowercased()
            for header in [
                "content-security-policy: default-src 'none'; style-src 'unsafe-inline';",
                "referrer-policy: no-referrer",
                "cache-control: no-store", "x-content-type-options: nosniff", "connection: close",
                "frame-ancestors 'none'",
                "content-type: text/html; charset=utf-8",
            ] { #expect(page.contains(header), "\(target): \(header)") }
            #expect(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"))
        }
        #expect(await ending == .answered)
    }

    @Test("It goes on after a callback that was not the one")
    func more() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        let page = try await Browser.send(wait.get("/callback?code=other"), to: wait.port)
        #expect(page.hasPrefix("HTTP/1.1 400 "))
        #expect(page.contains("<p>Not &lt;yet&gt;</p>"))
        _ = try await Browser.send(wait.get("/callback?end=1"), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["code=other", "end=1"])
    }

    /// Requests that are no callback, with PORT for the port, and the status they get.
    private static let refused: [(String, Int)] = [
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404),
        ("GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404),
        ("GET /callback/?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404),
        ("GET /CALLBACK?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404),
        ("GET /%63allback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404),
        ("GET http://127.0.0.1:PORT/callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404),
        ("GET /callback HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 400),
        ("GET /callback? HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 400),
        ("GET /callback?end=1 HTTP/1.1\r\n\r\n", 403),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: evil.example:PORT\r\n\r\n", 403),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", 403),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 403),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 403),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT\r\n\r\n", 403),
        ("PUT /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 405),
        ("HEAD /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 405),
        ("OPTIONS /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", 405),
        ("POST /callback HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 5\r\n\r\nend=1", 415),
        (
            "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nend=1",
            415
        ),
        (Browser.post("end=1", port: 0, length: 65_537).replacing("127.0.0.1:0", with: "127.0.0.1:PORT"), 413),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 3\r\n\r\nabc", 413),
        (
            "GET /callback?end=" + String(repeating: "x", count: 16_384) + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
            431
        ),
        (
            "GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: \(String(repeating: "x", count: 16_384))\r\n\r\n",
            431
        ),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: \(String(repeating: "x", count: 90_000))", 431),
        ("GET /callback?end=1 HTTP/1.1\nHost: 127.0.0.1:PORT\n\n", 400),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n X: folded\r\n\r\n", 400),
        ("GET /callback?end=1 HTTP/1.1\r\nHost : 127.0.0.1:PORT\r\n\r\n", 400),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: \u{0}\r\n\r\n", 400),
        ("GET /callback?end=1 HTTP/2\r\nHost: 127.0.0.1:PORT\r\n\r\n", 400),
        ("GET /callback?end=1\r\n\r\n", 400), ("GET  /callback?end=1 HTTP/1.1\r\n\r\n", 400), ("\r\n\r\n", 400),
        (Browser.post("end=1", port: 0, length: -1).replacing("127.0.0.1:0", with: "127.0.0.1:PORT"), 400),
        (
            Browser.post("end=1", port: 0).replacing("127.0.0.1:0", with: "127.0.0.1:PORT").replacing(
                "Content-Length", with: "Content-Length: 5\r\nContent-Length"), 400
        ),
        ("GET /callback?end=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        ("nonsense\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", 400), ("GET\r\n\r\n", 400),
        ("GET /callback?end=1 HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n", 400),
    ]

    @Test("What is no callback is refused, and nobody hears of it", arguments: refused)
    func refusal(request: String, status: Int) async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        let page = try await Browser.send(request.replacing("PORT", with: "\(wait.port)"), to: wait.port)
        #expect(page.hasPrefix("HTTP/1.1 \(status) "), "\(page.prefix(40))")
        #expect(page.hasSuffix("</html>\n") != request.hasPrefix("HEAD"))
        _ = try await Browser.send(wait.get("/callback?end=2"), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["end=2"])
    }

    @Test("A body that does not say how long it is is not read")
    func endlessBody() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
        let head =
            "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:\(wait.port)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        for rest in [
            "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 5) + "0\r\n\r\n", "\r\nend=1",
        ] {
            let page = try await Browser.send(head + rest, to: wait.port)
            #expect(page.hasPrefix("HTTP/1.1 411 "), "\(page.prefix(40))")
        }
        _ = try await Browser.send(wait.get("/callback?end=2"), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["end=2"])
    }

    @Test("A request that breaks off anywhere is none")
    func truncated() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        let request = Array(Browser.post("code=1&x=2", port: wait.port).utf8)
        for count in 0..<request.count {
            try await Browser.withConnection(to: wait.port) { browser in
                await browser.write(String(decoding: request.prefix(count), as: UTF8.self))
            }
        }
        _ = try await Browser.send(wait.get("/callback?end=2"), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["end=2"])
    }

    @Test("A client that is slow is told so and does not keep another one waiting")
    func slow() async throws {
        let wait = try await Wait(requestSeconds: 3)
        async let ending = wait.answer()
        let slow = try await Browser.withConnection(to: wait.port) { browser in
            await browser.write("GET /callback?end=1 HTTP/1.1\r\n")
            _ = try await Browser.send(wait.get("/callback?more=1"), to: wait.port)
            return await browser.rest()
        }
        #expect(slow.hasPrefix("HTTP/1.1 408 "))
        _ = try await Browser.send(wait.get("/callback?end=2"), to: wait.port)
        #expect(await ending == .answered)
        #expect(wait.received == ["more=1", "end=2"])
    }

    @Test("Connections that send nothing whole do not keep the answer out, however many they are")
    func crowd() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        try await occupy(3 * LoopbackServer.connectionLimit, port: wait.port) {
            let page = try await Browser.send(wait.get("/callback?end=1"), to: wait.port)
            #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        #expect(await ending == .answered)
        #expect(wait.received == ["end=1"])
    }

    @Test("Of more than 16 connections the oldest is closed whose request is not whole")
    func oldest() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        try await Browser.withConnection(to: wait.port) { first in
            try await occupy(LoopbackServer.connectionLimit, port: wait.port) {
                #expect(await first.rest().isEmpty)
                _ = try await Browser.send(wait.get("/callback?end=1"), to: wait.port)
            }
        }
        #expect(await ending == .answered)
    }

    private func occupy(_ count: Int, port: Int, _ body: () async throws -> Void) async throws {
        guard count > 0 else { return try await body() }
        try await Browser.withConnection(to: port) { browser in
            await browser.write("G")
            try await occupy(count - 1, port: port, body)
        }
    }

    @Test("The wait ends when the time is up, and the port is closed")
    func late() async throws {
        let wait = try await Wait()
        #expect(await wait.answer(seconds: 0) == .timedOut)
        await #expect(throws: (any Error).self) { try await Browser.send(wait.get("/callback?end=1"), to: wait.port) }
    }

    @Test("The wait ends with its task, and the port is closed")
    func cancelled() async throws {
        let wait = try await Wait()
        let task = Task { await wait.answer(seconds: 600) }
        _ = try await Browser.send(wait.get("/callback?more=1"), to: wait.port)
        task.cancel()
        #expect(await task.value == .cancelled)
        await #expect(throws: (any Error).self) { try await Browser.send(wait.get("/callback?end=1"), to: wait.port) }
    }

    @Test("A listener that is closed has no more callbacks")
    func closed() async throws {
        let wait = try await Wait()
        await wait.listener.close()
        await wait.listener.close()
        #expect(await wait.answer() == .cancelled)
        #expect(wait.received.isEmpty)
    }

    @Test("A browser that goes away before its page does not stop the wait")
    func impatient() async throws {
        let wait = try await Wait()
        async let ending = wait.answer()
        for _ in 0..<5 {
            try await Browser.withConnection(to: wait.port) { await $0.write(wait.get("/callback?more=1")) }
        }
        _ = try await Browser.send(wait.get("/callback?end=1"), to: wait.port)
        #expect(await ending == .answered)
    }

    @Test("The first free port of a list is taken")
    func ports() async throws {
        let (taken, other) = (try await Wait(), try await Wait())
        await #expect(throws: LoopbackError.portInUse([taken.port])) {
            try await LoopbackListener.open(ports: [taken.port])
        }
        await #expect(throws: LoopbackError.portInUse([taken.port, other.port])) {
            try await LoopbackListener.open(host: .localhost, ports: [taken.port, other.port])
        }
        await other.listener.close()
        let wait = try await Wait(ports: [taken.port, other.port])
        #expect(wait.port == other.port)
        await wait.listener.close()
        await taken.listener.close()
    }

    @Test("A port can be used again at once after a sign-in")
    func portAgain() async throws {
        var port = 0
        for _ in 0..<3 {
            let wait = try await Wait(ports: port == 0 ? [] : [port])
            port = wait.port
            async let ending = wait.answer()
            _ = try await Browser.send(wait.get("/callback?end=1"), to: port)
            #expect(await ending == .answered)
        }
    }

    @Test("By its name, it listens on both addresses of this machine", arguments: ["127.0.0.1", "::1"])
    func localhost(address: String) async throws {
        let wait = try await Wait(host: .localhost)
        #expect(wait.listener.redirectURI == "http://localhost:\(wait.port)/callback")
        async let ending = wait.answer()
        let request = Browser.get("/callback?end=1", port: wait.port, host: "LocalHost")
        let other = try await Browser.send(wait.get("/callback?end=1"), to: wait.port)
        #expect(other.hasPrefix("HTTP/1.1 403 "))
        let page = try await Browser.send(request, to: wait.port, host: address)
        #expect(page.hasPrefix("HTTP/1.1 200 "))
        #expect(await ending == .answered)
    }

    @Test(
        "A path or port that cannot be is an error",
        arguments: [
            ("callback", [Int]()), ("/a?b", []), ("?", []), ("#", []), (" ", []), ("/a#b", []), ("/a b", []),
            ("/a", [0]), ("/a", [65_536]),
            ("/a", [-1]),
        ])
    func badAddress(path: String, ports: [Int]) async {
        await #expect(throws: LoopbackError.badAddress) { try await LoopbackListener.open(ports: ports, path: path) }
    }

    @Test("What came is what a sign-in takes as its answer")
    func session() async throws {
        let wait = try await Wait()
        var provider = ProviderMetadata(issuer: "https://id.example")
        provider.endpoints = [
            .authorization: try EndpointURL("https://id.example/a"), .token: try EndpointURL("https://id.example/t"),
        ]
        var session = try AuthorizationSession(
            .init(provider: provider, clientID: "app", redirectURI: wait.listener.redirectURI),
            AuthorizationOptions(scopes: ["mail"])
        ) { SecretBytes.random(count: $0) }
        let parts = session.url.text.split(separator: "state=")
        let state = parts[1].prefix { $0 != "&" }
        async let pages = [
            Browser.send(wait.get("/callback?code=1&state=other"), to: wait.port),
            Browser.send(Browser.post("code=right&state=\(state)", port: wait.port), to: wait.port),
        ]
        var code: String?
        let ending = await wait.listener.answer(seconds: 300) { callback in
            switch session.receive(callback) {
            case .code(let secret):
                code = text(secret)
                return .last(.signedIn)
            case .failed(let failure): return .last(.failed("\(failure)"))
            case .rejected(let rejection): return .more(.failed("\(rejection)"))
            }
        }
        #expect(ending == .answered)
        #expect(code == "right")
        #expect(try await pages.map { $0.prefix(12) } == ["HTTP/1.1 400", "HTTP/1.1 200"])
    }

    @Test(
        "A reason is shown as text, on one line",
        arguments: [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a & \"b\" 'c'", "a &amp; &quot;b&quot; &#39;c&#39;"),
            ("one\ntwo\u{0}three\u{7F}", "one two three "), ("\u{202E}abc", " abc"), ("äöü 日本", "äöü 日本"),
            (String(repeating: "x", count: 600), String(repeating: "x", count: 500)),
        ])
    func escaped(reason: String, html: String) {
        #expect(LoopbackPage.failed(reason).html.contains("<p>\(html)</p>"))
    }
}
