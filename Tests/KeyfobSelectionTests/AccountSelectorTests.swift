import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport
import Testing

@Suite("The account selector")
struct AccountSelectorTests {
    private let selector = AccountSelector()
    private let work: AccessGroup

    init() throws {
        work = try AccessGroup("work")
    }

    private func candidate(
        _ name: String, group: AccessGroup = .default, environment: String = "login.microsoftonline.com",
        tenant: String = "contoso", label: String? = nil, state: Candidate.SignInState = .signedIn,
        clients: Set<String> = ["mailer"], isDefault: Bool = false
    ) throws -> Candidate {
        let id = try #require(AccountID(homeAccountID: "\(name)-uid.\(tenant)", environment: environment))
        let account = Account(id: id, username: "\(name)@\(tenant).example", label: label)
        return Candidate(account: account, group: group, state: state, clientIDs: clients, isDefault: isDefault)
    }

    private func select(
        _ request: TokenRequest, _ candidates: [Candidate], _ groups: [AccessGroup]? = nil
    ) -> Selection {
        selector.select(request, among: candidates, groups: groups ?? [.default, work])
    }

    /// The verdict of each candidate, by user name.
    private func verdicts(_ selection: Selection) -> [String: Verdict] {
        Dictionary(selection.verdicts.map { ($0.candidate.account.username, $0.verdict) }) { first, _ in first }
    }

    @Test("the only account is taken, and nobody is where there is none")
    func onlyOne() throws {
        let ada = try candidate("ada")
        let selection = select(TokenRequest(), [ada])
        #expect(selection.outcome == .chosen(ada))
        #expect(selection.verdicts.map(\.verdict) == [.chosen(.onlyOne)])
        #expect(select(TokenRequest(), []).outcome == .nobody)
        #expect(select(TokenRequest(), []).verdicts.isEmpty)
    }

    @Test("several accounts are for somebody to choose from, unless one is the default")
    func several() throws {
        let (ada, bob) = (try candidate("ada"), try candidate("bob"))
        let selection = select(TokenRequest(), [bob, ada])
        #expect(selection.outcome == .ambiguous([ada, bob]))
        #expect(selection.verdicts.map(\.verdict) == [.possible(nil), .possible(nil)])
        let preferred = try candidate("bob", isDefault: true)
        let chosen = select(TokenRequest(), [ada, preferred])
        #expect(chosen.outcome == .chosen(preferred))
        #expect(chosen.verdicts.map(\.verdict) == [.chosen(.groupDefault), .rejected(.notDefault)])
    }

    @Test("the owner's default of the group that comes first is taken")
    func defaults() throws {
        var (ada, bob) = (try candidate("ada", isDefault: true), try candidate("bob", group: work, isDefault: true))
        #expect(select(TokenRequest(), [ada, bob]).outcome == .ambiguous([ada, bob]))
        (ada.isOwnersDefault, bob.isOwnersDefault) = (true, true)
        #expect(select(TokenRequest(), [ada, bob], [.default, work]).outcome == .chosen(ada))
        #expect(select(TokenRequest(), [ada, bob], [work, .default]).outcome == .chosen(bob))
    }

    @Test("who is named is taken, whoever is the default")
    func named() throws {
        let (ada, bob) = (try candidate("ada"), try candidate("bob", isDefault: true))
        let selection = select(TokenRequest(account: "ADA@contoso.example"), [ada, bob])
        #expect(selection.outcome == .chosen(ada))
        #expect(verdicts(selection)["bob@contoso.example"] == .rejected(.notNamed))
        #expect(verdicts(selection)["ada@contoso.example"] == .chosen(.explicit))
    }

    @Test("a name never falls through to somebody else", arguments: ["eve", "", "  ", "contoso", "\u{0}"])
    func nobodyNamed(text: String) throws {
        let selection = select(TokenRequest(account: text), [try candidate("ada", isDefault: true)])
        #expect(selection.outcome == .nobodyNamed(text))
        #expect(selection.verdicts.map(\.verdict) == [.rejected(.notNamed)])
    }

    @Test("an exact name comes before the beginning of another")
    func prefixes() throws {
        let (ada, adam) = (try candidate("ada"), try candidate("adam", label: "ada2"))
        #expect(select(TokenRequest(account: "ada"), [ada, adam]).outcome == .ambiguous([adam, ada]))
        #expect(select(TokenRequest(account: "ada-uid.contoso"), [ada, adam]).outcome == .chosen(ada))
        #expect(select(TokenRequest(account: "ada2"), [ada, adam]).outcome == .chosen(adam))
        #expect(select(TokenRequest(account: "adam"), [ada, adam]).outcome == .chosen(adam))
    }

    @Test("an id is known under every alias of its environment")
    func aliases() throws {
        let ada = try candidate("ada")
        for text in ["ada-uid.contoso@login.windows.net", "ADA-UID.CONTOSO@STS.windows.net"] {
            #expect(select(TokenRequest(account: text), [ada, try candidate("bob")]).outcome == .chosen(ada))
        }
    }

    @Test("several who answer to a name are ambiguous, even when one is the default")
    func ambiguousName() throws {
        let (one, two) = (try candidate("ada", label: "x", isDefault: true), try candidate("bob", label: "X"))
        #expect(select(TokenRequest(account: "x"), [one, two]).outcome == .ambiguous([one, two]))
    }

    struct Unfit: Sendable, CustomTestStringConvertible {
        let request: TokenRequest
        let rejection: Verdict.Rejection
        var testDescription: String { rejection.name }
    }

    @Test(
        "who will not do is rejected with the reason",
        arguments: [
            Unfit(
                request: TokenRequest(environment: "login.example"),
                rejection: .otherEnvironment("login.microsoftonline.com")),
            Unfit(request: TokenRequest(clientID: "other"), rejection: .unknownToClient("other")),
            Unfit(
                request: TokenRequest(account: "ada", environment: "login.example"),
                rejection: .otherEnvironment("login.microsoftonline.com")),
        ])
    func rejections(unfit: Unfit) throws {
        let selection = select(unfit.request, [try candidate("ada")])
        #expect(selection.outcome == .nobody)
        #expect(selection.verdicts.map(\.verdict) == [.rejected(unfit.rejection)])
    }

    @Test("a tenant where it has never been is visited by who has signed in, and not by who has tokens alone")
    func tenant() throws {
        var ada = try candidate("ada")
        #expect(select(TokenRequest(realm: "fabrikam"), [ada]).outcome == .chosen(ada))
        ada.state = .tokensOnly
        #expect(
            select(TokenRequest(realm: "fabrikam"), [ada]).verdicts.map(\.verdict)
                == [.rejected(.notInTenant("fabrikam"))])
    }

    @Test("a client that holds nothing may join a family, but whom it holds something of goes first")
    func family() throws {
        var ada = try candidate("ada")
        ada.hasFamilyGrant = true
        let bob = try candidate("bob")
        let request = TokenRequest(clientID: "other")
        #expect(select(request, [ada, bob]).outcome == .chosen(ada))
        var carol = try candidate("carol")
        carol.clientIDs = ["other"]
        #expect(select(request, [ada, bob, carol]).outcome == .chosen(carol))
    }

    @Test("a token for a tenant is as good as a profile in it")
    func tokenInTenant() throws {
        var ada = try candidate("ada")
        ada.realms = ["Fabrikam"]
        let selection = select(TokenRequest(realm: "fabrikam"), [ada, try candidate("bob")])
        #expect(selection.outcome == .chosen(ada))
    }

    @Test("environment, tenant and client that fit are no reason to reject")
    func fitting() throws {
        let ada = try candidate("ada")
        for request in [
            TokenRequest(environment: "sts.windows.net"), TokenRequest(realm: "CONTOSO"),
            TokenRequest(clientID: "mailer"),
        ] {
            #expect(
                select(request, [ada, try candidate("bob", environment: "e", tenant: "t", clients: [])]).outcome
                    == .chosen(ada))
        }
    }

    @Test(
        "who signed out is not taken, and who should sign in is",
        arguments: [
            (Candidate.SignInState.signedOut, false), (.needsSignIn(reason: "expired"), true), (.tokensOnly, true),
            (.noCredentials, true), (.signedIn, true),
        ])
    func states(state: Candidate.SignInState, isTaken: Bool) throws {
        let ada = try candidate("ada", state: state)
        let selection = select(TokenRequest(), [ada])
        #expect(selection.outcome == (isTaken ? .chosen(ada) : .meantInVain(ada, .onlyOne, .signedOut)))
    }

    @Test("an account in two groups is two accounts, also where one of them would not do", arguments: [nil, "ada"])
    func severalGroups(name: String?) throws {
        let here = try candidate("ada")
        for state in [Candidate.SignInState.signedIn, .signedOut] {
            let there = try candidate("ada", group: work, state: state)
            let request = TokenRequest(account: name)
            #expect(select(request, [there, here], [work, .default]).outcome == .ambiguous([there, here]))
            #expect(select(request, [here], [.default]).outcome == .chosen(here))
        }
    }

    @Test("the same candidate twice is one")
    func repeated() throws {
        let ada = try candidate("ada")
        #expect(select(TokenRequest(), [ada, ada]).outcome == .chosen(ada))
    }

    @Test("the answer does not depend on the order of the accounts", arguments: 1...20 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let elsewhere = [try AccessGroup("x"), try AccessGroup("y")]
        var candidates: [Candidate] = []
        for number in 0..<12 {
            let group = [AccessGroup.default, work, elsewhere[0], elsewhere[1]][number % 4]
            candidates.append(
                try candidate(
                    "name\(number / 4)", group: group, label: number % 3 == 0 ? "same" : nil,
                    state: number % 5 == 0 ? .signedOut : .signedIn, isDefault: number == 6))
        }
        let requests = [
            TokenRequest(), TokenRequest(account: "same"), TokenRequest(account: "name1"),
            TokenRequest(account: "nobody"),
            TokenRequest(realm: "contoso"), TokenRequest(clientID: "other"),
        ]
        for request in requests {
            let expected = select(request, candidates)
            #expect(expected.verdicts.count == candidates.count)
            #expect(select(request, candidates.shuffled(using: &generator)) == expected)
        }
    }

    @Test("every verdict is one line that a person understands")
    func descriptions() {
        let rejections: [Verdict.Rejection] = [
            .notNamed, .otherEnvironment("e"), .hostNotAllowed("h"), .notInTenant("t"), .unknownToClient("c"),
            .signedOut, .notDefault, .boundInVain(Binding(.tool("gh"), to: .nobody, from: .keyring(.default))),
            .removed,
        ]
        let meant = Verdict.Rejection.meant(.groupDefault, but: .signedOut)
        #expect(meant.description == "signed out, and it is the default of its group")
        #expect(meant.name == "signedOut")
        let verdicts =
            [Verdict.possible(nil), .chosen(.onlyOne), .chosen(.groupDefault)]
            + [.explicit, .usual, .addressUser("ada")].map(Verdict.chosen)
            + rejections.map(Verdict.rejected)
        #expect(Set(verdicts.map(\.description)).count == verdicts.count)
        #expect(Set(rejections.map(\.name)).count == rejections.count)
        #expect(verdicts.allSatisfy { !$0.description.contains("\n") })
    }
}
