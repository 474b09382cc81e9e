import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// Each refusal at home, in a guest tenant, and in one where the account has never been: what is asked, and what still
/// answers.
@Suite("How far a refusal reaches for those who ask", .eachStorageInFullRun)
struct RefusalReachTests: SilentSuite {
    let home: SilentHome

    /// Where the refused request goes.
    enum Place: String, CaseIterable, Sendable {
        case home, guest, never

        var realm: String {
            switch self {
            case .home: SilentHome.tenant
            case .guest: SilentHome.guest
            case .never: "33333333-3333-4333-8333-333333333333"
            }
        }
    }

    /// A request that is made after the refusal.
    private struct Probe: Hashable {
        var place: Place
        var scopes: ScopeSet = ["mail.read"]
        var client = "app"
    }

    init() throws {
        home = try .atMicrosoft()
        var known = home.ada
        known.tenantProfiles = [Place.home, .guest].map {
            TenantProfile(
                realm: $0.realm, localAccountID: $0.rawValue, environment: "login.microsoftonline.com", username: "")
        }
        try home.grant("rt", known)
        try home.grant("rt-other", known, client: "other")
    }

    /// The provider refuses mail tokens for `app` at a place with an answer, and gives all others.
    private func refuse(at place: Place, _ answer: ScriptedNetwork.Answer) {
        provider.answer { request in
            let isMeant =
                request.url.contains(place.realm) && request.fields["client_id"] == "app"
                && request.scopes?.contains("mail.read") == true
            if isMeant { return answer }
            let scope = request.scopes?.sorted().joined(separator: " ")
            return .tokens("at", scope: scope)
        }
    }

    private func token(_ probe: Probe, force: Bool = false) async -> KeyringError? {
        do {
            _ = try await home.token(
                ada, scopes: probe.scopes, client: probe.client, realm: probe.place == .home ? nil : probe.place.realm,
                options: SilentOptions(forcesRefresh: force))
            return nil
        } catch {
            return error as? KeyringError ?? KeyringError(.fault, "\(error)")
        }
    }

    /// Which requests still answer after one that was refused at `place`, by how far that reaches.
    private func answers(_ probe: Probe, after place: Place, _ extent: RefusalRow.Extent) -> Bool {
        switch extent {
        case .request, .unknown, .nothing: probe != Probe(place: place)
        case .tenant: probe.place != place
        case .clientAtTenant: probe.place != place || probe.client == "other"
        case .client, .grant: probe.client == "other"
        }
    }

    @Test("what is asked, and what still answers", arguments: RefusalRow.all, Place.allCases)
    func reach(row: RefusalRow, place: Place) async throws {
        let extent = place == .home ? row.home : row.away
        refuse(at: place, .json(row.body(), status: 400))
        let error = try #require(await token(Probe(place: place)))
        #expect(error.code == (place == .home ? row.result : row.resultAway), "\(error.message)")
        // One request; where nobody knows the answer, one more at home for what is given there by default.
        var requests = provider.tokenRequests
        #expect(requests.first?.url.contains(place.realm) == true)
        #expect(requests.count == (extent == .unknown ? 2 : 1))
        if extent == .unknown {
            #expect(requests[1].url.contains(SilentHome.tenant))
            #expect(requests[1].scopes == ["openid", "profile", "offline_access"])
        }
        #expect(try home.theGrant(of: ada, client: "app").state.name == (extent == .grant ? "needsSignIn" : "active"))
        for other in Place.allCases {
            for scopes in [["mail.read"], ["files.read"]] as [ScopeSet] {
                for client in ["app", "other"] {
                    let probe = Probe(place: other, scopes: scopes, client: client)
                    let count = provider.tokenRequests.count
                    let failure = await token(probe)
                    let isAnswered = answers(probe, after: place, extent)
                    #expect((failure == nil) == isAnswered, "\(probe): \(failure?.message ?? "a token")")
                    // Nobody asks for what was refused.
                    #expect(provider.tokenRequests.count == count + (isAnswered ? 1 : 0), "\(probe)")
                }
            }
        }
        guard extent != .grant else { return }
        // Whoever forces it asks again, and so does everybody after the pause.
        requests = provider.tokenRequests
        #expect(await token(Probe(place: place), force: true)?.code == error.code)
        #expect(provider.tokenRequests.count > requests.count)
        home.clock.advance(by: RefusalVerdict.pause)
        provider.answer { _ in .tokens("new", scope: "mail.read") }
        #expect(await token(Probe(place: place)) == nil)
        #expect(try home.theGrant(of: ada, client: "app").refusals.isEmpty)
    }

    @Test(
        "with a suberror, without, and with a status that says all is well, it is the same", arguments: RefusalRow.all)
    func answers(row: RefusalRow) async throws {
        let sole = row.code != nil && row.suberror != nil
        let bodies = [row.body()] + (sole ? [row.body(hasSuberror: false)] : [])
        for (index, body) in bodies.enumerated() {
            for status in TestLength.isFull ? [200, 400, 401, 403] : [200, 400] {
                let place = RefusalReachTests.place(index, status)
                let other = try RefusalReachTests()
                other.refuse(at: place, .json(body, status: status))
                let error = try #require(await other.token(Probe(place: place)))
                #expect(error.code == row.resultAway, "\(status) \(body): \(error.message)")
                let isOver = try other.home.theGrant(of: ada, client: "app").state != .active
                #expect(isOver == (row.away == .grant), "\(status) \(body)")
            }
        }
    }

    private static func place(_ index: Int, _ status: Int) -> Place { index.isMultiple(of: 2) ? .guest : .never }

    @Test(
        "what is no refusal ends nothing, and is remembered as nothing that was refused",
        arguments: [
            .json("<html><body>Sign in</body></html>"), .json("<html>", status: 403), .json("not JSON"), .json("[]"),
            .json("{}"), .status(500), .status(503), .status(429), .status(302), .failed(.unreachable(.refused)),
            .failed(.outcomeUnknown), .status(400), .json("", status: 401),
        ] as [ScriptedNetwork.Answer], Place.allCases)
    func noRefusal(answer: ScriptedNetwork.Answer, place: Place) async throws {
        refuse(at: place, answer)
        #expect(await token(Probe(place: place)) != nil)
        let grant = try home.theGrant(of: ada, client: "app")
        #expect(grant.state == .active && grant.refusals.isEmpty && provider.tokenRequests.count == 1)
    }

    @Test("thirty that are refused at once are told the same, with one request, or two where nobody knows the answer")
    func together() async throws {
        for row in RefusalRow.ofEachKind {
            let crowd = try RefusalReachTests()
            crowd.provider.answer { request in
                try await Task.sleep(for: .milliseconds(40))
                return request.scopes?.contains("mail.read") == true
                    ? .json(row.body(), status: 400) : .tokens("at", refresh: "rt2")
            }
            let keyrings = try (0..<30).map { _ in try crowd.home.opened() }
            let messages = await withTaskGroup(of: String.self) { group in
                for keyring in keyrings {
                    group.addTask {
                        let error = await crowd.home.refusal(
                            crowd.ada, client: "app", realm: Place.guest.realm, from: keyring)
                        return "\(error?.code.rawValue ?? "") \(error?.message ?? "") \(error?.continuation?.id ?? "")"
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(messages.count == 1, "\(row.testDescription): \(messages)")
            #expect(crowd.provider.tokenRequests.count == (row.away == .unknown ? 2 : 1), "\(row.testDescription)")
        }
    }

    @Test("the last good request is what was given last at home, and its refusal alone ends the grant")
    func lastGood() async throws {
        provider.answer { request in .tokens("at", scope: request.scopes?.sorted().joined(separator: " ")) }
        #expect(await token(Probe(place: .home, scopes: ["files.read"])) == nil)
        #expect(try home.theGrant(of: ada, client: "app").served == ["files.read"])
        provider.answer { _ in .refused("invalid_grant") }
        #expect(await token(Probe(place: .never))?.code == .signInNeeded)
        let requests = provider.tokenRequests.suffix(2)
        #expect(requests.map { $0.url.contains(SilentHome.tenant) } == [false, true])
        #expect(requests.last?.scopes == ["files.read", "openid", "profile", "offline_access"])
        #expect(try home.theGrant(of: ada, client: "app").state.name == "needsSignIn")
    }

    @Test("what is not remembered elsewhere: a bundle has none of it, and a new refresh token begins anew")
    func here() async throws {
        refuse(at: .guest, .json(RefusalRow.all[6].body(), status: 400))
        #expect(await token(Probe(place: .guest)) != nil)
        let grant = try home.theGrant(of: ada, client: "app")
        #expect(grant.refusals.count == 1 && grant.elsewhere.refusals.isEmpty)
        // An import of another refresh token.
        try home.grant("rt-new", ada)
        #expect(try home.theGrant(of: ada, client: "app").refusals.isEmpty)
        let count = provider.tokenRequests.count
        #expect(await token(Probe(place: .guest)) != nil)
        #expect(provider.tokenRequests.count == count + 1)
    }

    @Test("a client that is stored anew is asked for again at once")
    func changedClient() async throws {
        provider.answer(.refused("invalid_client", status: 401))
        #expect(await token(Probe(place: .home))?.code == .configuration)
        #expect(await token(Probe(place: .home, scopes: ["files.read"]))?.code == .configuration)
        #expect(provider.tokenRequests.count == 1)
        try home.keyring.clients.add(
            ClientRegistration(id: "app", authentication: .post), secret: secret("right"), at: "microsoft")
        provider.answer(.tokens("at", scope: "mail.read"))
        #expect(await token(Probe(place: .home)) == nil)
    }
}
