internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium
internal import KeyfobTestSupport
internal import Testing

@testable internal import KeyfobNetwork

@Suite("What a program may ask through a gateway")
struct GatewayTests {
    private let address = GatewayAddress(port: 4_242, secret: "SECRET")

    private func request(_ target: String, _ lines: String..., method: String = "GET") throws -> GatewayRequest {
        try parsed(
            "\(method) \(target) HTTP/1.1\r\n" + (["Host: 127.0.0.1:4242"] + lines).map { $0 + "\r\n" }.joined())
    }

    private func parsed(_ head: String) throws -> GatewayRequest {
        try Array((head + "\r\n").utf8).withBytes { bytes in
            let head = try #require(try LoopbackRequest(reading: bytes, from: 0))
            let query = head.query.map { String(decoding: [UInt8](bytes.extracting($0)), as: UTF8.self) }
            return try GatewayRequest(head, query: query, to: address)
        }
    }

    private func status(_ body: () throws -> GatewayRequest) -> Int? {
        do {
            _ = try body()
            return nil
        } catch let refusal as GatewayRefusal {
            return refusal.status
        } catch {
            return 0
        }
    }

    @Test("host, path and query go on as they are, percent-encoding in one form")
    func place() throws {
        let request = try request("/SECRET/API.Example:443/%7Eme/a%2fb/?q=%41&r=/../")
        #expect(request.question.place == "api.example/~me/a%2Fb/")
        #expect(request.address == "https://api.example:443/~me/a%2Fb/?q=%41&r=/../")
        #expect(try self.request("/SECRET/git.example:8443").question.place == "git.example:8443/")
    }

    @Test(
        "a path that servers read in different ways is none",
        arguments: [
            "/a/../b", "/..", "/a/./b", "/a/%2e%2E/b", "/a/.%2e", "/a//b", "//", "/a%5cb", "/a/..%2fb", "/a/..%5Cb",
            "/a/%252e%252e/b", "/a%252Fb", "/a/%c0%ae%c0%ae/b", "/a/%e0%80%ae/b", "/a/..%c0%af", "/a/%25c0%25ae/b",
            "/a%ff",
            "/a/..%20/b", "/a/%20../b", "/a/.%20./b", "/a/..%c2%a0/b", "/a/%e2%80%8b../b", "/a/.../b",
            "/a/%ef%bc%8e%ef%bc%8e/b", "/a/.%ef%bc%8e/b", "/a/%e2%80%a5/b", "/a/..%ef%bc%8fb", "/a/..%ef%bc%bcb",
            "/a/..;/b", "/a/.;x/b", "/a%00b", "/a%0Ab", "/a%2F%2Fb", "/a%2F", "/a%zz",
            "/a%4",
            #"/a\b"#,
        ])
    func ambiguous(path: String) {
        #expect(RequestPath(path) == nil)
        #expect(status { try request("/SECRET/api.example\(path)") } == 400)
    }

    @Test(
        "a path with other letters, spaces or dots in a name is one",
        arguments: [
            "/b%C3%BCcher/a%20b", "/main...next", "/v1.2./x", "/.well-known/..x", "/%20/x", "/%E3%80%82a",
            "/1%E2%81%842",
        ])
    func unambiguous(path: String) throws {
        #expect(try request("/SECRET/api.example" + path).question.pathText == path)
    }

    @Test(
        "who is refused learns what to do instead",
        arguments: [
            ("GET http://api.example/x HTTP/1.1\r\nHost: api.example\r\n", 400, "no proxy to be named in http_proxy"),
            (
                "CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n", 501,
                "no proxy to be named in https_proxy"
            ),
            ("GET /SECRET/https://api.example/x HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n", 400, "leave out https://"),
            ("GET /SECRET/HTTP://api.example/x HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n", 400, "leave out https://"),
            (
                "GET /SECRET/api.example/\(String(repeating: "x", count: 2_030)) HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n",
                414,
                "longer than 2040 bytes"
            ),
        ])
    func nextStep(head: String, status: Int, reason: String) throws {
        let refusal = try #require(failure(of: GatewayRefusal.self) { _ = try parsed(head) })
        #expect(refusal.status == status && refusal.reason.contains(reason), "\(refusal)")
    }

    @Test(
        "what was asked is told without the secret and without a password, and cut where it is long",
        arguments: [
            ("/SECRET/api.example/x", "api.example/x"), ("/SECRETS/api.example/x", "…/api.example/x"), ("/SECRET", ""),
            ("/", "…"), ("*", "*"), ("http://ada:pass@api.example/x@y", "http://api.example/x@y"),
            ("/SECRET/ada:pass@api.example/x", "api.example/x"), ("api.example:443", "api.example:443"),
            ("/SECRET/" + String(repeating: "x", count: 300), String(repeating: "x", count: 200) + "…"),
        ])
    func shown(path: String, text: String) { #expect(address.shown(path) == text) }

    @Test(
        "who does not know the secret, or comes from elsewhere, is refused",
        arguments: [
            (404, "GET /WRONG/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (404, "GET /SECRE/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (404, "GET / HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: evil.example:4242\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: localhost:4242\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nHost: 127.0.0.1:4242\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nOrigin: null\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nSec-Fetch-Site: cross-site\r\n"),
            (505, "GET /SECRET/api.example/ HTTP/1.0\r\nHost: 127.0.0.1:4242\r\n"),
            (400, "GET http://api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (400, "GET /SECRET HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (400, "GET /SECRET/user@api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (400, "GET /SECRET/api.example:0/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (501, "CONNECT api.example:443 HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (501, "TRACE /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (501, "trace /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"),
            (501, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nUpgrade: websocket\r\n"),
            (403, "POST /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nX-HTTP-Method-Override: DELETE\r\n"),
            (403, "POST /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nx_http_method_override: DELETE\r\n"),
            (403, "GET /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nX-Forwarded-Host: evil.example\r\n"),
        ])
    func refused(status: Int, head: String) {
        #expect(self.status { try parsed(head) } == status)
    }

    @Test(
        "a length that can be read in two ways is refused",
        arguments: [
            ["Content-Length: 1", "Content-Length: 1"], ["Content-Length: 1, 1"], ["Content-Length: +1"],
            ["Content-Length: 0x1"], ["Content-Length:"], ["Content-Length: 1", "Transfer-Encoding: chunked"],
            ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip, chunked"],
            ["Transfer-Encoding: identity"], ["Content-Length: 9999999999999999999"],
        ])
    func lengths(lines: [String]) {
        let head = "POST /SECRET/api.example/ HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n"
        #expect(status { try parsed(head + lines.map { $0 + "\r\n" }.joined()) } == 400)
    }

    @Test("what says who asks, and what belongs to one connection, stays behind")
    func headers() throws {
        let request = try request(
            "/SECRET/api.example/", "Authorization: Bearer mine", "COOKIE: a=b", "Proxy-Authorization: x",
            "Connection: keep-alive, X-Own", "X-Own: 1", "TE: trailers", "Upgrade: h2c", "HTTP2-Settings: x",
            "Referer: http://127.0.0.1:4242/SECRET/", "Accept: text/plain", "X-Kept: yes", "Expect: 100-continue")
        #expect(request.headers.map(\.name) == ["Accept", "X-Kept"])
        #expect(request.awaitsGoAhead && request.canBeRepeated)
    }

    @Test("a body in chunks comes apart as it was, however it arrives; nothing but sizes is read of it")
    func chunks() throws {
        let bytes = Array("4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\nGET".utf8)
        for step in 1...bytes.count {
            var (body, queue, whole, rest) = (GatewayBody(.chunked), ByteQueue(), [UInt8](), bytes[...])
            while !body.isDone, !rest.isEmpty {
                queue.append(Array(rest.prefix(step)))
                rest = rest.dropFirst(step)
                while let part = try body.next(from: &queue, atMost: 3) { whole += part }
            }
            #expect(body.isDone && String(decoding: whole, as: UTF8.self) == "Wikipedia")
        }
        for text in [
            "-4\r\n", "4\nWiki", "4\r\nWikiX\r\n", "\r\n", "0\r\n: b\r\n\r\n", "fffffffffffff\r\n", "4 \r\nWiki",
            String(repeating: "0", count: 20),
        ] {
            var (body, queue) = (GatewayBody(.chunked), ByteQueue())
            queue.append(Array(text.utf8))
            #expect(throws: GatewayRefusal.malformed, "\(text)") {
                while try body.next(from: &queue, atMost: 100) != nil {}
            }
        }
    }

    @Test("what chunks can say besides is not passed on, and that is the reason")
    func chunkExtras() {
        let extras: [(String, GatewayRefusal)] = [
            ("4;x=y\r\nWiki", .withExtension), ("4 ;x=y\r\nWiki", .withExtension),
            ("4;" + String(repeating: "x", count: 20), .withExtension), ("0;x\r\n\r\n", .withExtension),
            ("0\r\nChecksum: of all that came before\r\n\r\n", .withTrailer),
        ]
        for (text, refusal) in extras {
            var (body, queue) = (GatewayBody(.chunked), ByteQueue())
            queue.append(Array(text.utf8))
            #expect(throws: refusal, "\(text)") {
                while try body.next(from: &queue, atMost: 100) != nil {}
            }
        }
    }

    @Test(
        "a rule lets through what it names",
        arguments: [
            ("GET api.example/repos/me/*", "GET api.example/repos/me/x/y", true),
            ("GET api.example/repos/me/*", "HEAD api.example/repos/me/x/", true),
            ("GET api.example/repos/me/*", "GET api.example/repos/me/", false),
            ("GET api.example/repos/me/", "GET api.example/repos/me/", true),
            ("GET api.example/repos/me", "GET api.example/repos/me/", false),
            ("GET api.example/p/*/issues", "GET api.example/p/1%2fsecret/issues", false),
            ("GET api.example/p/1%2Fx/issues", "GET api.example/p/1%2fx/issues", true),
            ("GET api.example/repos/me/*", "POST api.example/repos/me/x", false),
            ("GET api.example/repos/me/*", "GET api.example/repos/me", false),
            ("GET api.example/repos/me/*", "GET api.example/repos/men/x", false),
            ("GET api.example/repos/me/*", "GET api.example/repos/me%2Fx", false),
            ("GET api.example/repos/me/*", "GET api.example:444/repos/me/x", false),
            ("GET,POST api.example/*/issues", "POST api.example/a/issues", true),
            ("GET,POST api.example/*/issues", "GET api.example/a/b/issues", false),
            ("GET,POST api.example/*/issues", "GET api.example//issues", false),
            ("* api.example/*", "DELETE api.example/any/thing", true),
            ("* api.example/*", "PROPFIND api.example/", true),
            ("GET api.example/*", "POST api.example/", false),
            ("GET api.example:443/x", "GET api.example/x", true),
            ("GET api.example:443/x", "GET api.example:444/x", false),
            ("GET api.example:444/x", "GET api.example:444/x", true),
            ("* api.example/", "DELETE api.example/x", false),
            ("GET *.example.org/x", "GET a.example.org/x", true),
            ("GET *.example.org/x", "GET example.org/x", false),
            ("GET API.example/a%2db", "GET api.example/a-b", true),
        ])
    func rules(rule: String, asked: String, isAllowed: Bool) throws {
        let rule = try GatewayRule(rule)
        let words = asked.split(separator: " ").map(String.init)
        let host = words[1].prefix { $0 != "/" }
        guard let path = RequestPath(words[1].dropFirst(host.count)) else { return #expect(!isAllowed) }
        #expect(
            rule.allows(GatewayQuestion(method: words[0], host: String(host), path: path, specialHeaders: []))
                == isAllowed)
    }

    @Test(
        "what is no rule is refused with the reason",
        arguments: [
            ("", .words), ("GET x y", .words), ("get api.example", .methods), ("GET,, api.example", .methods),
            ("GET,* api.example/", .methods), ("*,* api.example/", .methods), ("GET", .noPlace("GET")),
            ("api.example/user", .noMethod("api.example/user")), ("api.example", .noMethod("api.example")),
            ("GET api.example", .noPath(methods: "GET", host: "api.example")),
            ("* *.example.org", .noPath(methods: "*", host: "*.example.org")),
            ("GET *.example.org:443/", .host("*.example.org:443")),
            ("GET https://api.example/", .host("https:")), ("GET *", .host("*")), ("GET *.com", .host("*.com")),
            ("GET user@api.example", .host("user@api.example")), ("GET api.example/a?b", .path("/a?b")),
            ("GET api.example/../x", .path("/../x")), ("GET api.example/a*", .star("a*")),
        ] as [(String, GatewayRule.Flaw)])
    func noRules(text: String, flaw: GatewayRule.Flaw) {
        #expect(failure(of: GatewayRule.Flaw.self) { _ = try GatewayRule(text) } == flaw)
    }

    @Test(
        "a rule for one request has that one, and there is none where it would have others",
        arguments: [
            ("GET", "api.example/a/b", "GET api.example/a/b"), ("PROPFIND", "api.example/", "PROPFIND api.example/"),
            ("*", "api.example/a", nil), ("GET", "api.example/*", nil), ("GET", "api.example/*/b", nil),
            ("GET", "api.example/a*", nil), ("A*B", "api.example/a", nil), ("get", "api.example/a", nil),
            ("GET", "api.example/%2A", "GET api.example/%2A"),
        ] as [(String, String, String?)])
    func exactRule(method: String, place: String, rule: String?) throws {
        let host = place.prefix { $0 != "/" }
        let path = try #require(RequestPath(place.dropFirst(host.count)))
        let question = GatewayQuestion(method: method, host: String(host), path: path, specialHeaders: [])
        let found = GatewayRule(exactly: question)
        #expect(found?.description == rule && found?.allows(question) ?? true)
        let other = GatewayQuestion(
            method: method, host: "api.example", path: try #require(RequestPath("/other")), specialHeaders: [])
        #expect(found?.allows(other) != true)
    }

    @Test("an address in an answer leads back where it can be asked for, and elsewhere where it cannot")
    func references() {
        let references = GatewayReferences(gateway: address) { $0.host == "api.example" && !$0.place.hasSuffix("/no") }
        func location(_ value: String) -> String? {
            references.rewritten(HTTPHeader(name: "location", value: value), from: "api.example")
        }
        let own = "http://127.0.0.1:4242/SECRET/"
        #expect(location("https://api.example/a?b#c") == own + "api.example/a?b#c")
        #expect(location("/a") == own + "api.example/a" && location("//api.example/a") == own + "api.example/a")
        #expect(location("https://evil.example/a") == "https://evil.example/a")
        #expect(location("//evil.example/a") == "https://evil.example/a")
        #expect(location("/no") == "https://api.example/no" && location("a/b") == nil)
        #expect(location("https://api.example@evil.example/") == "https://api.example@evil.example/")
        #expect(location("http://api.example/") == nil)
        let link = HTTPHeader(name: "Link", value: "<https://api.example/2>; rel=next, <https://evil.example/>; rel=x")
        #expect(
            references.rewritten(link, from: "api.example")
                == "<\(own)api.example/2>; rel=next, <https://evil.example/>; rel=x")
    }
}
