import KeyfobModel
import KeyfobOAuth
import Testing

@Suite("Sign-out plans") struct SignOutPlanTests {
    static let version = GrantVersion(epoch: 1, generation: 1)
    static let mine = SignOutPlan.Target(clientID: "a", version: version)
    static let other = SignOutPlan.Target(clientID: "b", version: version)

    static func provider() throws -> ProviderMetadata {
        ProviderMetadata(
            issuer: "https://idp.example",
            endpoints: [
                .revocation: try EndpointURL("https://idp.example/revoke"),
                .endSession: try EndpointURL("https://idp.example/logout"),
            ])
    }

    static func plan(
        _ reach: SignOutPlan.Reach, _ targets: [SignOutPlan.Target] = [mine, other], hasNetwork: Bool = true
    ) throws -> SignOutPlan {
        SignOutPlan(clientID: "a", reach: reach, targets: targets, provider: try provider(), hasNetwork: hasNetwork)
    }

    @Test("revoke, then mark, then remove")
    func order() throws {
        #expect(try Self.plan(.client).steps == [.revoke(Self.mine), .markSignedOut(["a"]), .removeCredentials(["a"])])
        #expect(
            try Self.plan(.everywhere).steps
                == [
                    .revoke(Self.mine), .revoke(Self.other), .markSignedOut(["a", "b"]),
                    .removeCredentials(["a", "b"]),
                ])
        #expect(try Self.plan(.forget).steps.last == .removeAccount)
        #expect(try Self.plan(.client, []).steps == [.markSignedOut(["a"]), .removeCredentials(["a"])])
    }

    @Test("go on without a network, without the endpoint and after a failure, and say so")
    func notes() throws {
        #expect(try Self.plan(.client, hasNetwork: false).notes == [.notRevokedOffline(clientID: "a")])
        #expect(try Self.plan(.client, hasNetwork: false).steps == [.markSignedOut(["a"]), .removeCredentials(["a"])])
        let bare = SignOutPlan(clientID: "a", reach: .client, targets: [Self.mine], provider: nil, hasNetwork: true)
        #expect(bare.notes == [.revocationNotOffered(clientID: "a")])
        var plan = try Self.plan(.client)
        plan.note(.revoked, for: Self.mine)
        #expect(plan.notes.isEmpty)
        plan.note(.failed(.unreachable(.refused)), for: Self.mine)
        #expect(plan.notes == [.revocationFailed(clientID: "a", .unreachable(.refused))])
    }

    @Test("F5: leave a family's token to its other clients, unless all sign out")
    func family() throws {
        let mine = SignOutPlan.Target(clientID: "a", familyID: "1", version: Self.version)
        let other = SignOutPlan.Target(clientID: "b", familyID: "1", version: Self.version)
        let plan = try Self.plan(.client, [mine, other])
        #expect(plan.notes == [.sharedByFamily(clientID: "a")])
        #expect(plan.steps == [.markSignedOut(["a"]), .removeCredentials(["a"])])
        #expect(try Self.plan(.everywhere, [mine, other]).steps.prefix(2) == [.revoke(mine), .revoke(other)])
        #expect(try Self.plan(.client, [mine]).steps.first == .revoke(mine))
    }

    @Test("revoke no token that is not there")
    func noSecret() throws {
        let target = SignOutPlan.Target(clientID: "a", version: Self.version, hasSecret: false)
        #expect(try Self.plan(.client, [target]).steps == [.markSignedOut(["a"]), .removeCredentials(["a"])])
    }

    @Test("end the session in the browser without the ID token in the address")
    func endSession() throws {
        let url = try #require(
            EndSession.url(
                try Self.provider(), clientID: "a", logoutHint: "h", redirectURI: "http://127.0.0.1:1/", state: "s"))
        #expect(
            url.text == "https://idp.example/logout?client_id=a&logout_hint=h"
                + "&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F&state=s")
        let plan = SignOutPlan(
            clientID: "a", reach: .client, targets: [], provider: try Self.provider(), hasNetwork: true, endSession: url
        )
        #expect(plan.steps.last == .openEndSession(url))
        #expect(EndSession.url(ProviderMetadata(issuer: nil), clientID: "a") == nil)
    }
}
