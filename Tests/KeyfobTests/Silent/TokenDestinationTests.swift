@testable import Keyfob
import KeyfobModel
import KeyfobOAuth
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Where tokens are sent", .eachStorageInFullRun)
struct TokenDestinationTests {
    private let home: SilentHome
    private let keys = BundleKeys()

    init() throws {
        home = try .atPlainProvider()
        try home.grant("r1", home.ada)
    }

    /// A setting that a bundle brings.
    private func setting(_ name: String, _ value: String) -> BundleContents.Entry {
        BundleContents.Entry(
            record: ItemRecord(
                group: .default, content: .setting(name: name, value: value),
                version: ItemVersion(stamp: Stamp(value: .max - 1), device: 1)))
    }

    @Test("a bundle cannot say where, not even as a document that was read before")
    func bundle() async throws {
        let document = """
            {"issuer": "https://id.example", "authorization_endpoint": "https://evil.example/authorize",
            "token_endpoint": "https://evil.example/token", "revocation_endpoint": "https://evil.example/revoke"}
            """
        let planted = [
            setting("discovery of https://id.example", "\(home.clock.now.seconds - 5) \(document)"),
            setting("provider:plain", document),
        ]
        let bundle = try home.home.folder.bundle(
            try keys.crafted(planted, vault: bytes(home.keyring.vaultID)), name: "planted.age")
        let plan = try home.keyring.bundles.import(bundle, with: keys.opener)
        #expect(plan.lines.map(\.outcome) == ["refused", "refused"])
        home.provider.answer(.json(#"{"access_token": "a2", "refresh_token": "r2", "expires_in": 3600}"#))
        _ = try await home.token(home.ada)
        _ = try await home.keyring.accounts.signOut(
            home.ada.id, from: .default, undo: .none, network: home.provider.network)
        #expect(home.provider.requests.allSatisfy { !$0.url.contains("evil.example") })
        #expect(home.provider.tokenRequests.map(\.refreshToken) == ["r1"])
        #expect(home.provider.revoked == ["r2"])
    }

    @Test("a bundle in the place of a group takes no provider away")
    func replacement() throws {
        let bundle = try home.home.folder.bundle(try keys.crafted([]), name: "empty.age")
        let plan = try home.keyring.bundles.import(bundle, with: keys.opener, mode: .replace)
        #expect(plan.lines.allSatisfy { $0.outcome == "removed" && $0.kind != "setting" }, "\(plan)")
        #expect(try home.keyring.providers.named("plain").title == "Plain")
        #expect(try home.keyring.accounts.list().isEmpty)
    }

    @Test("the holder of another group's key cannot say where")
    func otherGroup() async throws {
        let ci = try AccessGroup("ci")
        try home.keyring.groups.create(ci)
        let evil = """
            {"formatVersion": 1, "name": "aaa", "title": "Evil", "issuer": "https://evil.example",
            "environment": "id.example", "flows": ["authorizationCode"], "rotation": "unknown", "discovery": false,
            "endpoints": {"authorization_endpoint": "https://evil.example/a", "token_endpoint": "https://evil.example/token"}}
            """
        try home.keyring.providers.add([UInt8](evil.utf8), in: [ci])
        home.provider.answer(.json(#"{"access_token": "a2", "expires_in": 3600}"#))
        _ = try await home.token(home.ada)
        #expect(home.provider.tokenRequests.map(\.url) == ["https://id.example/token"])
    }

    @Test(
        "a document of Microsoft's cannot lead a refresh token to another host",
        arguments: [
            ("\(microsoft)/token", "https://evil.example/revoke", "none"),
            // Without an access token of the sign-in, the refresh token would be shown for a last one.
            ("https://evil.example/token", "\(microsoft)/revoke", "bearer"),
        ])
    func otherCloud(token: String, revocation: String, method: String) async throws {
        let account = try SilentHome.microsoftAccount()
        try home.grant("ms1", account)
        home.provider.answerOthers { request in
            guard request.url.contains("/.well-known/") else { return nil }
            return .json(
                """
                {"issuer": "\(Self.microsoft)/v2.0", "token_endpoint": "\(token)", "revocation_endpoint": "\(revocation)",
                "revocation_endpoint_auth_methods_supported": ["\(method)"]}
                """)
        }
        let report = try await home.keyring.accounts.signOut(
            account.id, from: .default, undo: .none, network: home.provider.network)
        #expect(home.provider.requests.allSatisfy { $0.url.hasPrefix(Self.microsoft) && $0.refreshToken == nil })
        #expect(home.provider.revoked == [])
        #expect(report.notes.count == 1)
    }

    private static let microsoft = "https://login.microsoftonline.com/\(SilentHome.tenant)"
}
