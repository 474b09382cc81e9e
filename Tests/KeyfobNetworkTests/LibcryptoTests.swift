internal import Foundation
internal import KeyfobOAuth
internal import KeyfobSodium
internal import KeyfobTestSupport
internal import Testing

@testable internal import KeyfobNetwork

@Suite("libcrypto")
struct LibcryptoTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let shim = root.appending(path: "Sources/CLibcrypto").path
    private static let absent: [@Sendable () -> Libcrypto?] = [
        { Libcrypto("libkeyfob-none.so.3") }, { Libcrypto("libc.so.6") },
    ]

    /// Runs a line of the shell and gives what it wrote, or nil where it failed.
    private func shell(_ line: String, _ arguments: [String]) throws -> String? {
        let process = Process()
        let written = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line] + arguments
        process.standardOutput = written
        try process.run()
        let text = String(decoding: try written.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text : nil
    }

    @Test("Its functions, numbers and names are declared as its headers have them")
    func declarations() throws {
        let line =
            "clang -fsyntax-only -Wall -Werror -Wno-unused-function -x c -DCLIBCRYPTO_COMPARE "
            + "$(pkg-config --cflags libcrypto) \"$0\""
        #expect(try shell(line, [Self.shim + "/shim.h"]) != nil, "is libssl-dev installed?")
    }

    @Test("Others in the process that use OpenSSL find it as it was: errors, configuration, end")
    func surroundings() throws {
        let folder = try ScratchFolder()
        let source = Self.root.appending(path: "Tests/KeyfobNetworkTests/Support/libcrypto-surroundings.c").path
        // By it nobody finds a digest who uses the configuration.
        let configuration = try folder.file(
            "openssl.cnf",
            Array("openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = provider=none\n".utf8))
        let line = "clang -w -DCLIBCRYPTO_COMPARE -I \"$0\" \"$1\" -lcrypto -o \"$2\" && OPENSSL_CONF=\"$3\" \"$2\""
        let said = try shell(line, [Self.shim, source, folder.path + "/program", configuration])
        #expect(
            said == """
                errors after loading: 0, none
                on the curve: bad
                off the curve: no key
                errors after checks: 0, none
                on the curve: bad
                off the curve: no key
                errors where there was one: 1, its own
                configuration: is that of the system
                on the curve: bad

                """)
    }

    @Test("Where it is missing, that is said of all that need it")
    func missing() throws {
        for library in Self.absent {
            let check = SignatureCheck(library: library)
            for algorithm in SignatureAlgorithm.allCases.map(\.rawValue) {
                let key = try SigningKey.key(for: algorithm)
                let token = try key.token(#"{"alg":"\#(algorithm)","kid":"one"}"#, algorithm: algorithm)
                let flaw = check.flaw(of: secret(token), keys: try keySet([key.jwk()]))
                #expect(flaw == (["EdDSA", "Ed25519"].contains(algorithm) ? nil : .noSignatureLibrary))
                // What is known without it is said without it.
                #expect(check.flaw(of: secret(token), keys: try keySet([])) == .unknownKey)
            }
        }
        #expect(
            "\(IDTokenFlaw.noSignatureLibrary)"
                == "the signature of the ID token cannot be checked: libcrypto of OpenSSL 3 is not installed")
    }

    @Test(
        "Whether a provider's signatures need it",
        arguments: [
            (nil, true), (["RS256"], true), (["EdDSA", "ES256"], true), (["EdDSA"], false), (["HS256", "none"], true),
            (["Ed25519", "none"], false), ([], false),
        ] as [([String]?, Bool)])
    func needs(algorithms: [String]?, isNeeded: Bool) {
        for library in Self.absent {
            #expect(SignatureCheck(library: library).lacksLibrary(for: algorithms) == isNeeded)
        }
        #expect(!SignatureCheck().lacksLibrary(for: algorithms))
    }

    @Test("Many threads check at once, beside libcurl with OpenSSL and with GnuTLS")
    func threads() async throws {
        let certificate = try Certificate.localhost.get()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let kinds = try ["RS256", "PS512", "ES256", "ES512", "EdDSA"].map { algorithm in
            let key = try SigningKey.key(for: algorithm)
            return (
                try key.token(#"{"alg":"\#(algorithm)","kid":"one"}"#, algorithm: algorithm),
                text(try keySet([key.jwk()]))
            )
        }
        try await ScriptedServer.run(.answer(answer), tls: certificate) { server in
            let url = try EndpointURL("https://localhost:\(server.port)/")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in Libcurl.fileNames {
                    group.addTask {
                        let transport = HTTPTransport(
                            userAgent: "test", certificates: try TrustedCertificates(path: certificate.file),
                            proxies: try ProxySettings(environment: [:]), log: { _ in }, library: { Libcurl([name]) })
                        for _ in 0..<4 {
                            guard
                                case .answered(let response) = await transport.send(
                                    HTTPRequest(getting: url), seconds: 60)
                            else {
                                Issue.record("no answer by \(name)")
                                continue
                            }
                            #expect(response.status == 200)
                        }
                    }
                }
                for (token, keys) in kinds {
                    for _ in 0..<4 {
                        group.addTask {
                            for _ in 0..<20 {
                                #expect(SignatureCheck().flaw(of: secret(token), keys: secret(keys)) == nil)
                                let bad = "\(token.dropLast(4))AAAA"
                                #expect(SignatureCheck().flaw(of: secret(bad), keys: secret(keys)) == .badSignature)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
