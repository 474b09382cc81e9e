import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

@Suite("Sign-ins that are refused", .eachStorageInFullRun)
struct SignInRefusalTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
    }

    /// An ID token that will not do, and what is said of it.
    struct Flawed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (String?) -> String
    }

    private static let flawed: [Flawed] = [
        Flawed(testDescription: "for another request") { _ in TestIDToken(nonce: "other").text },
        Flawed(testDescription: "for another request") { _ in TestIDToken().text },
        Flawed(testDescription: "for another client") { TestIDToken(audience: "somebody", nonce: $0).text },
        Flawed(testDescription: "from another issuer") { TestIDToken(issuer: "https://evil.example", nonce: $0).text },
        Flawed(testDescription: "not signed as the provider signs") { TestIDToken(algorithm: "none", nonce: $0).text },
        Flawed(testDescription: "not signed as the provider signs") { TestIDToken(algorithm: "HS256", nonce: $0).text },
        Flawed(testDescription: "has expired") { TestIDToken(expires: noon.advanced(by: -301), nonce: $0).text },
        Flawed(testDescription: "from the future") { TestIDToken(issuedAt: noon.advanced(by: 301), nonce: $0).text },
        Flawed(testDescription: "not written as one") { _ in "nonsense" },
    ]

    @Test("an ID token that will not do: nothing is stored, and the error says what is wrong", arguments: flawed)
    func idToken(flawed: Flawed) async throws {
        let error = await keyringError {
            try await signInByBrowser(request, home) { .tokens("at", refresh: "rt", id: flawed.make($0["nonce"])) }
        }
        #expect(error?.code == .providerFailed)
        #expect(error?.message.contains(flawed.testDescription) == true, "\(error?.message ?? "no error")")
        try expectNothing()
    }

    @Test("a bad signature: nothing is stored", arguments: [IDTokenFlaw.badSignature, .unknownKey])
    func signature(flaw: IDTokenFlaw) async throws {
        provider.findFlaw(flaw)
        let error = await keyringError {
            try await signInByBrowser(request, home) {
                .tokens("at", refresh: "rt", id: TestIDToken(nonce: $0["nonce"]).text)
            }
        }
        #expect(error?.code == .providerFailed && error?.message.contains("\(flaw)") == true)
        try expectNothing()
    }

    @Test("no library that checks signatures: said before anybody signs in, by browser and by device")
    func noSignatureLibrary() async throws {
        provider.loseSignatureLibrary()
        let (keyring, network) = (home.keyring, provider.network)
        let errors = [
            await keyringError {
                _ = try await keyring.signIns.begin(
                    request, redirectURI: "http://127.0.0.1:1/callback", network: network)
            },
            await keyringError { _ = try await keyring.signIns.beginDevice(request, network: network) },
        ]
        for error in errors {
            #expect(error?.code == .unavailable && error?.advice == .installLibcrypto)
            #expect(error?.message.contains("libcrypto of OpenSSL 3 is not installed") == true)
        }
        #expect(provider.requests.allSatisfy { $0.url.contains("/.well-known/") })
        // Where there are no ID tokens, none is needed.
        var plain = SignInRequest(provider: "github")
        plain.clientID = "gh"
        _ = try await keyring.signIns.begin(plain, redirectURI: "http://127.0.0.1:1/callback", network: network)
    }

    @Test("a library that is gone when the ID token comes: nothing is stored")
    func signatureLibraryGone() async throws {
        provider.findFlaw(.noSignatureLibrary)
        let error = await keyringError {
            try await signInByBrowser(request, home) {
                .tokens("at", refresh: "rt", id: TestIDToken(nonce: $0["nonce"]).text)
            }
        }
        #expect(error?.code == .unavailable && error?.advice == .installLibcrypto)
        try expectNothing()
    }

    @Test("keys that cannot be had: nothing is stored")
    func noKeys() async throws {
        provider.answerOthers { $0.url.hasSuffix("/keys") ? .status(503) : nil }
        let error = await keyringError {
            try await signInByBrowser(request, home) {
                .tokens("at", refresh: "rt", id: TestIDToken(nonce: $0["nonce"]).text)
            }
        }
        #expect(error?.code == .providerFailed || error?.code == .offline)
        try expectNothing()
    }

    @Test("no ID token, and a userinfo endpoint that says nothing of use", arguments: ["{}", "{\"sub\": \"\"}", "no"])
    func noUserInfo(document: String) async throws {
        provider.answerOthers { $0.url.hasSuffix("/userinfo") ? .json(document) : nil }
        let error = await keyringError {
            try await signInByBrowser(request, home) { _ in .tokens("at", refresh: "rt") }
        }
        #expect(error?.code == .providerFailed && error?.message.contains("who signed in") == true)
        try expectNothing()
    }

    @Test(
        "another account than asked for: nothing is stored, and its refresh token is revoked", arguments: [true, false])
    func otherAccount(isKnown: Bool) async throws {
        if isKnown { try home.grant("rt1", ada) }
        var request = request
        request.account = ada.id
        let error = await keyringError {
            try await signInByBrowser(request, home) {
                .tokens(
                    "at", refresh: "rt-eve",
                    id: TestIDToken(subject: "eve-sub", nonce: $0["nonce"], username: "eve").text)
            }
        }
        #expect(error?.code == .otherAccount && error?.message.contains("eve") == true)
        #expect(provider.revoked == ["rt-eve"])
        #expect(try home.opened().accounts.list().map(\.account.id) == (isKnown ? [ada.id] : []))
        if isKnown { #expect(try home.theGrant(of: ada) == Grant()) }
    }

    @Test("what comes to the redirect address and is not the answer is passed over")
    func callbacks() async throws {
        let signIn = try await home.keyring.signIns.begin(
            request, redirectURI: "http://127.0.0.1:1/callback", network: provider.network)
        let state = try #require(query(of: signIn.url)["state"])
        for callback in ["", "code=x", "code=x&state=wrong", "favicon"] {
            guard case .ignored = signIn.receive(secret(callback)) else {
                Issue.record("taken: \(callback)")
                return
            }
        }
        guard case .failed(let error) = signIn.receive(secret("error=access_denied&state=\(state)")) else {
            Issue.record("a refusal was not taken")
            return
        }
        #expect(error.code == .cancelled)
        #expect(
            await keyringError { try await home.keyring.signIns.finish(signIn, network: provider.network) }?.code
                == .fault)
    }

    @Test("a code that the provider refuses: nothing is stored")
    func codeRefused() async throws {
        let error = await keyringError { try await signInByBrowser(request, home) { _ in .refused("invalid_grant") } }
        #expect(error?.code == .signInNeeded)
        try expectNothing()
    }

    @Test(
        "a provider or a client that nobody knows",
        arguments: [("nowhere", KeyringError.Code.noSuchProvider), ("google", .noSuchClient)])
    func unknown(name: String, code: KeyringError.Code) async throws {
        let error = await keyringError {
            try await home.keyring.signIns.begin(
                SignInRequest(provider: name), redirectURI: "http://127.0.0.1:1/callback", network: provider.network)
        }
        #expect(error?.code == code && provider.requests.isEmpty)
    }

    private func expectNothing() throws {
        #expect(try home.opened().accounts.list().isEmpty)
        #expect(try home.opened().accounts.credentials(of: ada.id, in: .default).isEmpty)
    }
}
