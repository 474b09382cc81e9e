import KeyfobModel
import Testing

@Suite("Verdicts of refusals") struct RefusalVerdictTests {
    static let now = Timestamp(seconds: 1_800_000_000)
    static let mail = RefusedRequest(clientID: "app", tenant: "Home", scopes: ["mail.read"])

    static func verdict(
        _ reach: RefusalReach, _ request: RefusedRequest = mail, isOfClient: Bool = false, at time: Timestamp = now,
        id: String = "1"
    ) -> RefusalVerdict {
        RefusalVerdict(
            id: id, reach: reach, isOfClient: isOfClient, remedy: .signIn, request: request,
            answer: RefusalVerdict.Answer(status: 400), time: time)
    }

    /// Requests that differ from ``mail`` in one respect.
    static let others: [(name: String, request: RefusedRequest)] = [
        ("same", RefusedRequest(clientID: "app", tenant: "home", scopes: ["MAIL.READ", "openid", "offline_access"])),
        ("scopes", RefusedRequest(clientID: "app", tenant: "home", scopes: ["mail.send"])),
        ("more scopes", RefusedRequest(clientID: "app", tenant: "home", scopes: ["mail.read", "mail.send"])),
        ("claims", RefusedRequest(clientID: "app", tenant: "home", scopes: ["mail.read"], claims: "{}")),
        ("tenant", RefusedRequest(clientID: "app", tenant: "guest", scopes: ["mail.read"])),
        ("client", RefusedRequest(clientID: "other", tenant: "home", scopes: ["mail.read"])),
    ]

    @Test(
        "each reaches as far as it says, and no further",
        arguments: [
            (.request, false, ["same"]), (.tenant, false, ["same", "scopes", "more scopes", "claims", "client"]),
            (.tenant, true, ["same", "scopes", "more scopes", "claims"]),
            (.client, false, ["same", "scopes", "more scopes", "claims", "tenant"]), (.provider, false, []),
            (.grant, false, []),
        ] as [(RefusalReach, Bool, [String])])
    func reach(reach: RefusalReach, isOfClient: Bool, covered: [String]) {
        let verdict = Self.verdict(reach, isOfClient: isOfClient)
        #expect(Self.others.filter { verdict.covers($0.request) }.map(\.name) == covered)
    }

    @Test("a success ends what it refutes: the same, a wider one of the same kind, and all that reaches further")
    func settled() {
        let granted: ScopeSet = ["mail.read", "mail.send"]
        let wider = RefusedRequest(clientID: "app", tenant: "home", scopes: granted)
        #expect(Self.verdict(.request).isSettled(by: wider, granted: granted))
        #expect(Self.verdict(.tenant).isSettled(by: wider, granted: granted))
        #expect(Self.verdict(.client).isSettled(by: wider, granted: granted))
        #expect(Self.verdict(.grant).isSettled(by: wider, granted: granted))
        let elsewhere = RefusedRequest(clientID: "app", tenant: "guest", scopes: ["mail.read"])
        #expect(!Self.verdict(.request).isSettled(by: elsewhere, granted: ["mail.read"]))
        #expect(!Self.verdict(.tenant).isSettled(by: elsewhere, granted: ["mail.read"]))
        let narrower = RefusedRequest(clientID: "app", tenant: "home", scopes: ["files.read"])
        #expect(!Self.verdict(.request).isSettled(by: narrower, granted: ["files.read"]))
        var claims = Self.mail
        claims.claims = "{}"
        #expect(!Self.verdict(.request, claims).isSettled(by: Self.mail, granted: ["mail.read"]))
    }

    @Test("a grant keeps one for each thing that was refused, the newest, and for an hour")
    func kept() {
        var grant = Grant()
        grant.remember(Self.verdict(.request, id: "old"))
        grant.remember(Self.verdict(.request, at: Self.now.advanced(by: 1), id: "new"))
        #expect(grant.refusals.map(\.id) == ["new"])
        for number in 0..<20 {
            let request = RefusedRequest(clientID: "app", tenant: "home", scopes: ["scope\(number)"])
            grant.remember(Self.verdict(.request, request, at: Self.now.advanced(by: 2), id: "\(number)"))
        }
        #expect(grant.refusals.map(\.id) == (12..<20).map(String.init))
        let later = Self.now.advanced(by: 2 + RefusalVerdict.lifetime)
        grant.remember(Self.verdict(.request, at: later, id: "later"))
        #expect(grant.refusals.map(\.id) == ["later"])
        #expect(grant.elsewhere.refusals.isEmpty && grant.elsewhere.served == nil)
        #expect(grant.signedOut.refusals.isEmpty)
    }

    @Test(
        "tokens are for the same where they share a scope that is not of OpenID Connect",
        arguments: [
            (["a", "openid", "profile"], ["b", "openid", "profile"], false), (["a", "b"], ["b", "c"], true),
            (["openid", "profile"], ["openid", "email"], true), (["openid"], ["a", "openid"], false), ([], [], true),
            ([], ["openid"], false), ([], ["a"], false), (["A", "Email"], ["a"], true),
        ] as [(ScopeSet, ScopeSet, Bool)])
    func sameness(left: ScopeSet, right: ScopeSet, expected: Bool) {
        #expect(left.isForSame(as: right) == expected && right.isForSame(as: left) == expected)
    }
}
