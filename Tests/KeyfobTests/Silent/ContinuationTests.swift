import Foundation
@testable import Keyfob
import KeyfobModel
import KeyfobOAuth
import KeyfobRecords
import KeyfobTestSupport
import Testing

/// What a person is told after a refusal, and that following it works.
@Suite("Continuing a refused request", .eachStorageInFullRun)
struct ContinuationTests: SilentSuite {
    let home: SilentHome
    static let claims = #"{"access_token": {"capolids": {"essential": true, "values": ["1"]}}}"#

    init() throws {
        home = try .atMicrosoft()
        try home.grant("rt", ada)
    }

    /// A refusal that asks for a second factor.
    private var factor: ScriptedNetwork.Answer {
        let claims = Self.claims.replacing("\"", with: "\\\"")
        return .json(
            #"{"error": "invalid_grant", "suberror": "basic_action", "error_codes": [50076], "claims": "\#(claims)"}"#,
            status: 400)
    }

    @Test("repeats the provider, the account, the tenant, the client, the scopes and the claims")
    func fields() async throws {
        provider.answer(factor)
        let error = try #require(await home.refusal(ada, realm: SilentHome.guest))
        let continuation = try #require(error.continuation)
        #expect(error.code == .signInNeeded && error.advice == .signIn(continuation))
        #expect(continuation.action == .secondFactor && continuation.provider == "login.microsoftonline.com")
        #expect(continuation.account == ada.id.description && continuation.name == ada.username)
        #expect(continuation.tenant == SilentHome.guest && continuation.clientID == "app")
        #expect(continuation.scopes == ["mail.read"] && continuation.claims == Self.claims)
        let id = try #require(continuation.id)
        // Another process has the same, and so has whoever looks at the account.
        #expect(try await home.refusal(ada, realm: SilentHome.guest, from: home.opened())?.continuation == continuation)
        let refusals = try home.opened().signIns.refusals(of: ada.id, in: .default)
        #expect(refusals.map(\.verdict.id) == [id] && refusals.first?.continuation == continuation)
        let refusal = try #require(refusals.first)
        #expect(refusal.isPaused(at: home.clock.now) && refusal.message.contains("basic_action"))
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("claims that were asked for go along, where the provider asks for none")
    func ownClaims() async throws {
        provider.answer(.refused("interaction_required"))
        let options = SilentOptions(claims: #"{"id_token": {}}"#)
        let error = try #require(await home.refusal(ada, options: options))
        #expect(error.continuation?.claims == options.claims)
        // Without them it was not refused.
        provider.answer(.tokens("at", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at")
        // With them it was, and is not asked again, though a stored token would not do.
        #expect(await home.refusal(ada, options: options)?.continuation == error.continuation)
        #expect(provider.tokenRequests.count == 2)
    }

    @Test("the sign-in by its name asks for all of it, and the token is there then")
    func following() async throws {
        provider.answer(factor)
        let id = try #require(await home.refusal(ada, realm: SilentHome.guest)?.continuation?.id)
        let (request, refusal) = try home.keyring.signIns.continued(id)
        #expect(refusal.group == .default && request.account == ada.id)
        #expect(request.tenant == SilentHome.guest && request.clientID == "app" && request.scopes == ["mail.read"])
        let report = try await signInByBrowser(request, home) { asked in
            #expect(asked["claims"] == Self.claims && asked["client_id"] == "app")
            let id = TestIDToken(
                issuer: "https://login.microsoftonline.com/\(SilentHome.guest)/v2.0", subject: "s",
                nonce: asked["nonce"], tenant: SilentHome.guest, object: "there", username: ada.username)
            return .tokens(
                "at-guest", refresh: "rt-guest", scope: "mail.read openid profile", id: id.text,
                clientInfo: clientInfo("ada-oid", SilentHome.tenant))
        }
        #expect(report.account.id == ada.id && !report.isNew)
        #expect(try await home.token(ada, realm: SilentHome.guest).text == "at-guest")
        // It is over: nothing is remembered, and nothing can be continued.
        #expect(try home.opened().signIns.refusals(of: ada.id, in: .default).isEmpty)
        #expect(throws: KeyringError.self) { try home.keyring.signIns.continued(id) }
    }

    @Test("a name is good for an hour, and a made-up one for nothing")
    func names() async throws {
        provider.answer(factor)
        let id = try #require(await home.refusal(ada)?.continuation?.id)
        for other in ["", "00000000", id + "0", String(id.dropLast())] {
            #expect(throws: KeyringError.self) { try home.keyring.signIns.continued(other) }
        }
        home.clock.advance(by: RefusalVerdict.lifetime - 1)
        #expect(try home.keyring.signIns.continued(id).request.account == ada.id)
        home.clock.advance(by: 1)
        #expect(throws: KeyringError.self) { try home.keyring.signIns.continued(id) }
        #expect(try home.keyring.signIns.refusals(of: ada.id, in: .default).isEmpty)
    }

    @Test("a name that stands in two groups means neither: whoever has one group's key may have written it there")
    func planted() async throws {
        provider.answer(factor)
        let id = try #require(await home.refusal(ada)?.continuation?.id)
        let verdict = try #require(home.keyring.signIns.refusals(of: ada.id, in: .default).first?.verdict)
        let tools = try AccessGroup("tools")
        try home.keyring.groups.create(tools)
        let token = Credential.refresh(ada, client: "evil")
        try home.keyring.store(token, "rt", for: ada, in: [tools])
        try home.keyring.withState { state in
            try home.keyring.change(&state, try state.group(tools)) { writer in
                try writer.updateGrant(GrantKey(token)) { $0.changeGrant { $0.remember(verdict) } }
            }
        }
        let error = #expect(throws: KeyringError.self) { try home.keyring.signIns.continued(id) }
        #expect(error?.code == .ambiguous && error?.candidates.count == 2)
        #expect(try home.keyring.signIns.continued(id, in: [.default]).refusal.group == .default)
    }

    @Test("a sign-in that has ended says so with what each request asks for")
    func ended() async throws {
        provider.answer(.refused("invalid_grant", "bad_token"))
        let first = try #require(await home.refusal(ada))
        #expect(first.continuation?.id != nil && first.continuation?.scopes == ["mail.read"])
        #expect(await home.refusal(ada)?.continuation == first.continuation)
        let other = try #require(await home.refusal(ada, scopes: ["files.read"], realm: SilentHome.guest))
        #expect(other.code == .signInNeeded && other.continuation?.id == nil)
        #expect(other.continuation?.scopes == ["files.read"] && other.continuation?.tenant == SilentHome.guest)
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("what an administrator has to do is told with the tenant, the account and the client")
    func administrator() async throws {
        provider.answer(.json(#"{"error": "invalid_grant", "error_codes": [50020]}"#, status: 400))
        let error = try #require(await home.refusal(ada, realm: SilentHome.guest))
        let continuation = try #require(error.continuation)
        #expect(error.code == .policyNotMet && error.advice == .askAdministrator(continuation))
        #expect(continuation.action == .invitation && continuation.tenant == SilentHome.guest)
    }

    @Test("the group is named where there are several, and a client that was removed is not")
    func places() async throws {
        try home.keyring.groups.create(AccessGroup("work"))
        try home.keyring.clients.add(ClientRegistration(id: "app"), at: "microsoft")
        try home.keyring.clients.remove("app")
        provider.answer(factor)
        let continuation = try #require(await home.refusal(ada)?.continuation)
        #expect(continuation.group == .default && continuation.clientID == nil)
    }
}
