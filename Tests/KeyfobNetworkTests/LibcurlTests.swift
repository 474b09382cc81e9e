internal import Foundation
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Synchronization
internal import Testing

@testable internal import KeyfobNetwork

@Suite("libcurl")
final class LibcurlTests {
    private let lines = Mutex<[String]>([])
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    /// Sends a request by a library of these names.
    private func send(
        _ request: consuming HTTPRequest, names: [String] = Libcurl.fileNames, certificateFile: String? = nil
    ) async throws -> Outcome {
        let log = Handover<String>()
        let transport = HTTPTransport(
            userAgent: "test", certificates: try TrustedCertificates(path: certificateFile),
            proxies: try ProxySettings(environment: [:]), log: { log.put($0) }, library: { Libcurl(names) })
        let exchange = await transport.send(request, seconds: 60)
        lines.withLock { $0 += [log.take()].compactMap { $0 } }
        switch exchange {
        case .answered(let response): return .answered(status: response.status, body: text(response.body))
        case .failed(let failure): return .failed(failure)
        }
    }

    @Test("Its functions and numbers are declared as its headers have them")
    func declarations() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            "clang -fsyntax-only -Wall -Werror -Wno-unused-function -x c -DCLIBCURL_COMPARE "
                + "$(pkg-config --cflags libcurl) \"$0\"", root.appending(path: "Sources/CLibcurl/shim.h").path,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "is libcurl4-openssl-dev installed?")
    }

    @Test("Where it is missing, that is said, with what to install")
    func missing() async throws {
        let outcome = try await send(
            HTTPRequest(getting: try EndpointURL("https://id.example/")), names: ["libkeyfob-none.so.4", "libc.so.6"])
        #expect(outcome == .failed(.noHTTPLibrary))
        #expect(
            lines.withLock { $0 } == [
                "GET https://id.example/: libcurl 7.87 or later is not installed (libcurl4 on Debian and Ubuntu)"
            ])
    }

    @Test("With OpenSSL and with GnuTLS, it trusts whom it is told to", arguments: Libcurl.fileNames)
    func flavours(name: String) async throws {
        let (known, other) = (try Certificate.localhost.get(), try Certificate.other.get())
        for (certificate, file, expected) in [
            (known, known.file, Outcome.answered(status: 200, body: "{}")),
            (known, other.file, .failed(.untrustedCertificate(.untrusted))),
            (other, other.file, .failed(.untrustedCertificate(.otherHost))),
        ] {
            try await ScriptedServer.run(.answer(Self.good), tls: certificate) { server in
                let url = try EndpointURL("https://localhost:\(server.port)/")
                let outcome = try await send(HTTPRequest(getting: url), names: [name], certificateFile: file)
                #expect(outcome == expected)
            }
        }
        #expect(
            lines.withLock { $0.map { $0.split(separator: ": ").last ?? "" } } == [
                "200", "the certificate is of an authority that this machine does not trust",
                "the certificate is for another host",
            ])
    }

    @Test(
        "With a certificate of another key, a library that takes none, or without TLS, nothing is sent",
        arguments: [
            (Libcurl.fileNames[0], "https", ProviderFailure.unreachable(.badIdentity)),
            (Libcurl.fileNames[1], "https", .noHTTPLibrary), (Libcurl.fileNames[0], "http", .unreachable(.unsendable)),
        ])
    func identity(name: String, scheme: String, expected: ProviderFailure) async throws {
        let certificate = try Certificate.localhost.get()
        let block = "\n-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        let pem = try SigningKey.key(for: "ES256").privatePEM() + Array(block.utf8)
        let found = ClientIdentity(pem: secret(pem))
        let identity = try #require(found)
        try await ScriptedServer.run(.answer(Self.good), tls: scheme == "https" ? certificate : nil) { server in
            let url = try EndpointURL("\(scheme)://localhost:\(server.port)/")
            let request = HTTPRequest(getting: url).showing(identity)
            #expect(try await send(request, names: [name], certificateFile: certificate.file) == .failed(expected))
            #expect(server.received.allSatisfy { $0.isEmpty })
        }
    }

    @Test(
        "Each method is sent with its body, and with nothing that nobody asked for",
        arguments: HTTPRequestCase.all)
    func methods(request: HTTPRequestCase) async throws {
        try await ScriptedServer.run(.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + request.answer)) {
            server in
            let url = try EndpointURL("http://127.0.0.1:\(server.port)/a/../b?x='1")
            let sent = HTTPRequest(
                request.method, url,
                headers: [HTTPHeader(name: "X-Empty", value: ""), HTTPHeader(name: "user-agent", value: "x")],
                body: request.body.map { secret($0) }, bearer: secret("SECRET"), answerLimit: 2)
            #expect(try await send(sent) == .answered(status: 200, body: request.answer))
            let length = request.length.map { ["content-length: \($0)"] } ?? []
            let (head, body) = try #require(
                server.received.first.map { $0.split(separator: "\r\n\r\n", omittingEmptySubsequences: false) }.map {
                    ($0[0], $0[1])
                })
            let lines = head.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "\(request.method.rawValue) /a/../b?x='1 HTTP/1.1")
            #expect(
                lines.dropFirst().map { $0.lowercased() }.sorted()
                    == ([
                        "accept-encoding: identity", "authorization: bearer secret", "connection: close",
                        "host: 127.0.0.1:\(server.port)", "user-agent: test", "x-empty:",
                    ] + length).sorted())
            #expect(body == request.body ?? "")
        }
    }

    @Test("A header that would become two is not sent", arguments: ["a\r\nb: c", "a\nb", "\u{0}", "\u{7F}"])
    func brokenHeader(value: String) async throws {
        try await ScriptedServer.run(.answer(Self.good)) { server in
            let url = try EndpointURL("http://127.0.0.1:\(server.port)/")
            let inHeader = HTTPRequest(
                .get, url, headers: [HTTPHeader(name: "X", value: value)], body: nil, bearer: secret("a"),
                answerLimit: 9)
            #expect(try await send(inHeader) == .failed(.unreachable(.unsendable)))
            let inToken = HTTPRequest(.get, url, headers: [], body: nil, bearer: secret(value), answerLimit: 9)
            #expect(try await send(inToken) == .failed(.unreachable(.unsendable)))
            #expect(server.received.allSatisfy { $0.isEmpty })
        }
    }
}

/// A method, its body, and the length that is announced for it.
struct HTTPRequestCase: Sendable, CustomTestStringConvertible {
    let method: HTTPRequest.Method
    let body: String?
    let length: Int?

    static let all = [
        HTTPRequestCase(method: .get, body: nil, length: nil), .init(method: .head, body: nil, length: nil),
        .init(method: .delete, body: nil, length: nil), .init(method: .delete, body: "abc", length: 3),
        .init(method: .put, body: "abc", length: 3), .init(method: .put, body: nil, length: 0),
        .init(method: .patch, body: "abc", length: 3), .init(method: .post, body: nil, length: 0),
        .init(method: .post, body: String(repeating: "x", count: 2_000_000), length: 2_000_000),
    ]

    /// What comes as the body of the answer.
    var answer: String { method == .head ? "" : "{}" }
    var testDescription: String { "\(method.rawValue), \(body?.count ?? 0) bytes" }
}
