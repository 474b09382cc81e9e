internal import Foundation
internal import KeyfobOAuth
internal import KeyfobTestSupport
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Request over TLS")
struct TLSTests {
    private let network = LoggedNetwork()
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    @Test(
        "A server with a certificate of the file is trusted, by name and by address",
        arguments: ["localhost", "127.0.0.1"])
    func trusted(host: String) async throws {
        let certificate = try Certificate.localhost.get()
        try await ScriptedServer.run(.answer(Self.good), tls: certificate) { server in
            let outcome = try await network.post(
                "https://\(host):\(server.port)/token", certificateFile: certificate.file)
            #expect(outcome == .answered(status: 200, body: "{}"))
            #expect(server.received.count == 1)
        }
    }

    @Test("A server with a certificate that nobody trusts gets no request")
    func untrusted() async throws {
        try await ScriptedServer.run(.answer(Self.good), tls: try Certificate.localhost.get()) { server in
            let outcome = try await network.post("https://localhost:\(server.port)/token?q=SECRET")
            #expect(outcome == .failed(.untrustedCertificate(.untrusted)))
            #expect(server.received == [""])
            #expect(
                network.log == [
                    "POST https://localhost:\(server.port)/token: the certificate is of an authority that this machine does not trust"
                ])
        }
    }

    @Test("A server with another one's certificate gets no request", arguments: ["localhost", "127.0.0.1"])
    func otherHost(host: String) async throws {
        let certificate = try Certificate.other.get()
        try await ScriptedServer.run(.answer(Self.good), tls: certificate) { server in
            let outcome = try await network.post(
                "https://\(host):\(server.port)/token", certificateFile: certificate.file)
            #expect(outcome == .failed(.untrustedCertificate(.otherHost)))
            #expect(server.received == [""])
            #expect(network.log == ["POST https://\(host):\(server.port)/token: the certificate is for another host"])
        }
    }

    @Test("A server with an expired certificate gets no request")
    func expired() async throws {
        let certificate = try Certificate.expired.get()
        try await ScriptedServer.run(.answer(Self.good), tls: certificate) { server in
            let outcome = try await network.post(
                "https://localhost:\(server.port)/token", certificateFile: certificate.file)
            #expect(outcome == .failed(.untrustedCertificate(.expired)))
            #expect(server.received == [""])
            #expect(
                network.log == [
                    "POST https://localhost:\(server.port)/token: the certificate has expired, or this machine's clock is wrong"
                ])
        }
    }

    @Test(
        "What speaks no TLS gets no request",
        arguments: [
            ScriptedServer.Behaviour.close, .answer("HTTP/1.1 400 Bad Request\r\n\r\n"), .flood("SSH-2.0-x\r\n"),
        ])
    func plain(behaviour: ScriptedServer.Behaviour) async throws {
        try await ScriptedServer.run(behaviour) { server in
            let outcome = try await network.post("https://localhost:\(server.port)/token", seconds: 2)
            #expect([.failed(.unreachable(.noTLS)), .failed(.unreachable(.timedOut))].contains(outcome))
            #expect(server.received.allSatisfy { !$0.contains("SECRET") })
        }
    }

    @Test("A handshake that never ends is given up")
    func silent() async throws {
        try await ScriptedServer.run(.silent) { server in
            let outcome = try await network.post("https://localhost:\(server.port)/token", seconds: 1)
            #expect(outcome == .failed(.unreachable(.timedOut)))
        }
        #expect(network.log.count == 1)
    }

    @Test(
        "A server that reads and closes may have acted",
        arguments: [
            ScriptedServer.Behaviour.readAndClose, .answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
        ])
    func readAndClose(behaviour: ScriptedServer.Behaviour) async throws {
        let certificate = try Certificate.localhost.get()
        try await ScriptedServer.run(behaviour, tls: certificate) { server in
            let outcome = try await network.post(
                "https://localhost:\(server.port)/token", certificateFile: certificate.file)
            #expect(outcome == .failed(.outcomeUnknown))
            #expect(server.received.count == 1)
        }
    }

    @Test(
        "A file that is missing, empty or no certificate is named",
        arguments: [
            (nil, NetworkError.CertificateFlaw.unreadable), ("", .empty), ("hello", .notCertificates),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", .notCertificates),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", .notCertificates),
        ])
    func badFile(content: String?, flaw: NetworkError.CertificateFlaw) throws {
        let folder = try ScratchFolder()
        let path = try content.map { try folder.file("roots.pem", Array($0.utf8)) } ?? folder.path + "/roots.pem"
        #expect(throws: NetworkError.certificateFile(path: path, flaw)) {
            try Network.system(NetworkConfiguration(userAgent: "test", certificateFile: path))
        }
    }

    @Test("What only looks like certificates is found out when it is to be used")
    func damagedFile() async throws {
        let folder = try ScratchFolder()
        let sequence = [0x30, 0x82, 0x01, 0x00] + [UInt8](repeating: 7, count: 256)
        let text = "-----BEGIN CERTIFICATE-----\n\(Data(sequence).base64EncodedString())\n-----END CERTIFICATE-----\n"
        let path = try folder.file("roots.pem", Array(text.utf8))
        try await ScriptedServer.run(.answer(Self.good), tls: try Certificate.localhost.get()) { server in
            let outcome = try await network.post("https://localhost:\(server.port)/token", certificateFile: path)
            #expect(outcome == .failed(.unreachable(.badRoots)))
            #expect(server.received.allSatisfy { $0.isEmpty })
        }
        #expect(network.log.allSatisfy { $0.hasSuffix(": the certificates that are trusted could not be read") })
        #expect(network.log.count == 1)
    }

    @Test("A folder is no file of certificates")
    func folder() throws {
        let path = try ScratchFolder().path
        #expect(throws: NetworkError.certificateFile(path: path, .unreadable)) {
            try Network.system(NetworkConfiguration(userAgent: "test", certificateFile: path))
        }
    }
}
