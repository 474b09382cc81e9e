internal import Glibc
internal import KeyfobOAuth
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Proxy of the environment")
struct ProxyTests {
    private let network = LoggedNetwork()

    private func post(_ behaviour: ScriptedServer.Behaviour, _ user: String = "") async throws -> (Outcome, [String]) {
        try await ScriptedServer.run(behaviour) { server in
            let outcome = try await network.post(
                "https://provider.example/token?q=SECRET", certificateFile: try Certificate.localhost.get().file,
                environment: ["https_proxy": "http://\(user)127.0.0.1:\(server.port)"])
            return (outcome, server.received)
        }
    }

    @Test("A request goes through the proxy, which sees only the host")
    func tunnel() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        try await ScriptedServer.run(.tunnel(try Certificate.localhost.get(), answer)) { server in
            let outcome = try await network.post(
                "https://provider.example/token", certificateFile: try Certificate.localhost.get().file,
                environment: ["https_proxy": "http://127.0.0.1:\(server.port)"])
            #expect(outcome == .answered(status: 200, body: "{}"))
            #expect(server.received.count == 1)
            #expect(server.received[0].hasPrefix("POST /token HTTP/1.1\r\n"))
        }
    }

    @Test("A SOCKS proxy is given the name, and sees nothing else")
    func socks() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        try await ScriptedServer.run(.socks(try Certificate.localhost.get(), answer)) { server in
            let outcome = try await network.post(
                "https://provider.example/token", certificateFile: try Certificate.localhost.get().file,
                environment: ["all_proxy": "socks5://127.0.0.1:\(server.port)"])
            #expect(outcome == .answered(status: 200, body: "{}"))
            #expect(server.received.count == 1)
            #expect(server.received[0].hasPrefix("provider.example:443 POST /token HTTP/1.1\r\n"))
        }
    }

    @Test("libcurl reads no variable by itself, whatever this process was started with")
    func environment() async throws {
        let variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
        for variable in variables { _ = unsafe setenv(variable, "http://127.0.0.1:1", 1) }
        _ = unsafe setenv("no_proxy", "*", 1)
        defer { for variable in variables + ["no_proxy"] { _ = unsafe unsetenv(variable) } }
        let certificate = try Certificate.localhost.get()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        try await ScriptedServer.run(.answer(answer), tls: certificate) { server in
            let outcome = try await network.post(
                "https://localhost:\(server.port)/token", certificateFile: certificate.file)
            #expect(outcome == .answered(status: 200, body: "{}"))
        }
        try await ScriptedServer.run(.tunnel(certificate, answer)) { server in
            let outcome = try await network.post(
                "https://provider.example/token", certificateFile: certificate.file,
                environment: ["https_proxy": "http://127.0.0.1:\(server.port)"])
            #expect(outcome == .answered(status: 200, body: "{}"))
        }
    }

    @Test("A proxy with a user name gets it, percent-decoded")
    func credentials() async throws {
        let (outcome, received) = try await post(.answer("HTTP/1.1 403 No\r\n\r\n"), "user:p%40ss:w@")
        #expect(outcome == .failed(.unreachable(.proxyRefused)))
        #expect(received.count == 1)
        #expect(received[0].hasPrefix("CONNECT provider.example:443 HTTP/1.1\r\n"))
        #expect(received[0].lowercased().contains("proxy-authorization: basic dxnlcjpwqhnzonc=\r\n"))
        #expect(!received[0].contains("SECRET"))
    }

    @Test(
        "A proxy that refuses, or is none, leaves the provider unreachable",
        arguments: [
            (
                ScriptedServer.Behaviour.answer("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\n\r\n"),
                UnreachableReason.proxyWantsUser
            ),
            (.answer("HTTP/1.1 502 Bad\r\n\r\n"), .proxyRefused), (.answer("HTTP/1.1 200 OK\r\n\r\n"), .noTLS),
            (.answer("nonsense\r\n\r\n"), .proxyRefused), (.readAndClose, .proxyRefused), (.close, .proxyRefused),
        ])
    func refusal(behaviour: ScriptedServer.Behaviour, reason: UnreachableReason) async throws {
        let (outcome, received) = try await post(behaviour)
        #expect(outcome == .failed(.unreachable(reason)))
        #expect(received.allSatisfy { !$0.contains("SECRET") })
        #expect(network.log.count == 1)
        #expect(network.log.allSatisfy { $0.hasPrefix("POST https://provider.example/token: ") })
    }

    @Test("This machine is reached directly", arguments: ["127.0.0.1", "localhost"])
    func loopback(host: String) async throws {
        try await ScriptedServer.run(.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) { server in
            let outcome = try await network.post(
                "http://\(host):\(server.port)/token",
                environment: [
                    "https_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1",
                    "ALL_PROXY": "http://127.0.0.1:1",
                ])
            #expect(outcome == .answered(status: 200, body: "{}"))
        }
    }

    private func proxy(_ environment: [String: String], _ url: String = "https://id.example.com/token") throws
        -> String?
    {
        try ProxySettings(environment: environment).proxy(for: try EndpointURL(url)).map {
            let user = $0.user.map { $0 + ":" } ?? ""
            return "\($0.kind.rawValue) \(user)\($0.password.map { $0 + "@" } ?? "")\($0.host) \($0.port)"
        }
    }

    @Test(
        "It is read in the forms that other programs read",
        arguments: [
            ("http://proxy.example:3128", "http proxy.example 3128"), ("proxy.example:3128", "http proxy.example 3128"),
            ("HTTP://proxy.example:3128/", "http proxy.example 3128"),
            ("http://proxy.example", "http proxy.example 80"),
            ("socks5://10.0.0.1", "socks5 10.0.0.1 1080"), ("socks5h://proxy:9", "socks5 proxy 9"),
            ("http://[::1]:3128", "http ::1 3128"), ("http://u@p.example", "http u:@p.example 80"),
            ("http://u:p@p.example:1", "http u:p@p.example 1"), ("http://u%3A:%C3%A4@p", "http u::ä@p 80"),
            ("http://u:a@b@p", "http u:a@b@p 80"),
        ])
    func forms(text: String, expected: String) throws {
        #expect(try proxy(["https_proxy": text]) == expected)
    }

    @Test("Small letters come before capitals, and https before all")
    func precedence() throws {
        let all = [
            "https_proxy": "a:1", "HTTPS_PROXY": "b:1", "all_proxy": "c:1", "ALL_PROXY": "d:1", "http_proxy": "e:1",
        ]
        #expect(try proxy(all) == "http a 1")
        #expect(try proxy(all.filter { $0.key != "https_proxy" }) == "http b 1")
        #expect(try proxy(all.filter { $0.key.uppercased() != "HTTPS_PROXY" }) == "http c 1")
        #expect(try proxy(["ALL_PROXY": "d:1"]) == "http d 1")
        #expect(try proxy(["https_proxy": "", "ALL_PROXY": "d:1"]) == nil)
        #expect(try proxy(["http_proxy": "e:1", "HTTP_PROXY": "e:1"]) == nil)
        #expect(try proxy([:]) == nil)
    }

    @Test(
        "What cannot be read is an error with the variable's name and nothing of its value",
        arguments: [
            ("http://", NetworkError.ProxyFlaw.malformed), ("://x", .unsupportedScheme), ("http://a b", .malformed),
            ("http://p:0", .malformed),
            ("http://p:99999", .malformed), ("http://p:x", .malformed), ("http://u:SECRET@", .malformed),
            ("http://u:%zz@p", .malformed), ("http://u:%0a@p", .malformed), ("http://u:%f@p", .malformed),
            ("http://u:%ff@p", .malformed), ("http://p/path", .malformed), ("http://p?x", .malformed),
            ("http://p#x", .malformed),
            ("https://p", .unsupportedScheme), ("ftp://p", .unsupportedScheme), ("socks4://p", .unsupportedScheme),
            ("socks5://u:SECRET@p", .unsupportedCredentials), ("\u{0}", .malformed),
        ])
    func malformed(text: String, flaw: NetworkError.ProxyFlaw) {
        for variable in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            let error = #expect(throws: NetworkError.self) {
                try Network.system(NetworkConfiguration(userAgent: "test", environment: [variable: text]))
            }
            #expect(error == .proxy(variable: variable, flaw))
            #expect(error?.description.contains("SECRET") == false)
        }
    }

    @Test(
        "Hosts are excepted by name, domain, port and star",
        arguments: [
            ("*", true), ("id.example.com", true), ("example.com", true), (".example.com", true),
            ("*.example.com", true),
            ("EXAMPLE.COM", true), ("other, example.com", true), ("other example.com", true),
            ("id.example.com:443", true),
            ("example.com:443", true), ("", false), ("example.org", false), ("d.example.com", false),
            ("ple.com", false),
            (".id.example.com", false), ("id.example.com:8443", false), ("10.0.0.0", false), (",,", false),
        ])
    func exceptions(names: String, isExcepted: Bool) throws {
        #expect(try (proxy(["https_proxy": "p:1", "no_proxy": names]) == nil) == isExcepted)
        #expect(try (proxy(["https_proxy": "p:1", "NO_PROXY": names]) == nil) == isExcepted)
    }

    @Test(
        "Addresses are excepted too",
        arguments: [
            ("10.1.2.3", "https://10.1.2.3/", true), ("10.1.2.3", "https://10.1.2.30/", false),
            ("[fe80::1]", "https://[fe80::1]/", true), ("fe80::1", "https://[fe80::1]/", true),
            ("[fe80::1]:8443", "https://[fe80::1]:8443/", true), ("[fe80::1]:8443", "https://[fe80::1]/", false),
        ])
    func addresses(names: String, url: String, isExcepted: Bool) throws {
        #expect(try (proxy(["https_proxy": "p:1", "no_proxy": names], url) == nil) == isExcepted)
    }
}
