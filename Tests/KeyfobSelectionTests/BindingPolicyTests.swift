import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport
import Testing

@Suite("Bindings in the selection")
struct BindingPolicyTests {
    private let ada: Candidate
    private let bob: Candidate
    private let carol: Candidate
    private let context = RequestContext(
        tool: "gh", directory: "/home/ada/work/app", remote: SelectionSample.address("git.example/contoso/app"))

    init() throws {
        ada = try SelectionSample.candidate("ada")
        bob = try SelectionSample.candidate("bob")
        carol = try SelectionSample.candidate("carol", environment: "other.example")
    }

    private func select(
        _ bindings: [Binding], _ request: TokenRequest? = nil, among candidates: [Candidate]? = nil
    ) -> Selection {
        AccountSelector().select(
            request ?? TokenRequest(context: context), among: candidates ?? [ada, bob], groups: [.default],
            evidence: Evidence(bindings: bindings))
    }

    /// Every kind of subject that the context meets, the most specific first.
    private static let subjects: [Binding.Subject] = [
        .directory("/home/ada/work/app"), .directory("/home/ada/work"), .directory("/"),
        .url(SelectionSample.address("git.example/contoso/app")), .url(SelectionSample.address("git.example/contoso")),
        .host("git.example"), .tool("gh"),
    ]

    @Test("a binding chooses, and says what is bound", arguments: subjects)
    func one(subject: Binding.Subject) {
        let binding = SelectionSample.binding(subject, bob)
        let selection = select([binding])
        #expect(selection.outcome == .chosen(bob))
        #expect(selection.verdicts.map(\.verdict) == [.chosen(.bound(binding)), .rejected(.boundToAnother(binding))])
        #expect(selection.verdicts[0].verdict.description.contains("is bound to it"))
    }

    @Test("the more specific binding goes first, and none blocks the wider ones", arguments: 0..<6)
    func specificity(index: Int) {
        let narrow = SelectionSample.binding(Self.subjects[index], ada)
        let wide = Self.subjects[(index + 1)...].map { SelectionSample.binding($0, bob) }
        #expect(select(wide.reversed() + [narrow]).outcome == .chosen(ada))
        let none = SelectionSample.binding(Self.subjects[index], nil)
        #expect(select(wide + [none]).outcome == .ambiguous([ada, bob]))
        #expect(select(wide + [none]).blocking == [none] && select(wide + [narrow]).blocking.isEmpty)
    }

    @Test(
        "what is not met does not count",
        arguments: [
            Binding.Subject.directory("/home/ada/workshop"), .directory("/home/ada/work/app/deep"),
            .host("git.example:8443"),
            .url(SelectionSample.address("git.example/conto")),
            .url(SelectionSample.address("git.example/contoso/app/x")),
            .tool("g"),
        ])
    func unmet(subject: Binding.Subject) {
        #expect(select([SelectionSample.binding(subject, bob)]).outcome == .ambiguous([ada, bob]))
    }

    @Test("a missing attribute of the request meets no binding")
    func missing() {
        let bindings = Self.subjects.map { SelectionSample.binding($0, bob) }
        #expect(select(bindings, TokenRequest()).outcome == .ambiguous([ada, bob]))
    }

    @Test("a binding to an account that is gone is told, and nobody else is taken")
    func gone() {
        let binding = SelectionSample.binding(.host("git.example"), bob)
        #expect(select([binding], among: [ada]).outcome == .boundToNobody(binding))
        let wider = SelectionSample.binding(.tool("gh"), ada)
        #expect(select([binding, wider], among: [ada]).outcome == .boundToNobody(binding))
    }

    @Test("a binding to an account that is signed out is told, and nobody else is taken")
    func signedOut() throws {
        let out = try SelectionSample.candidate("bob", state: .signedOut)
        let binding = SelectionSample.binding(.host("git.example"), out)
        #expect(select([binding], among: [ada, out]).outcome == .boundInVain(binding, out, .signedOut))
    }

    @Test("where one of two accounts bound to a subject is gone or signed out, the other does not take its place")
    func oneOfTwo() throws {
        let work = try AccessGroup("work")
        let other = try SelectionSample.candidate("bob", group: work)
        let out = try SelectionSample.candidate("ada", state: .signedOut)
        let bindings = [
            SelectionSample.binding(.tool("gh"), ada),
            SelectionSample.binding(.tool("gh"), other, from: .keyring(work)),
        ]
        func outcome(_ candidates: [Candidate]) -> Selection.Outcome {
            AccountSelector().select(
                TokenRequest(context: context), among: candidates, groups: [.default, work],
                evidence: Evidence(bindings: bindings)
            ).outcome
        }
        #expect(outcome([other]) == .boundToNobody(bindings[0]))
        #expect(outcome([out, other]) == .boundInVain(bindings[0], out, .signedOut))
        #expect(outcome([ada, other]) == .ambiguous([ada, other]))
    }

    @Test("none counts for its own group")
    func noneOfAGroup() throws {
        let work = try AccessGroup("work")
        let none = SelectionSample.binding(.tool("gh"), nil, from: .keyring(work))
        let wide = SelectionSample.binding(.tool("gh"), bob)
        let selection = AccountSelector().select(
            TokenRequest(context: context), among: [ada, bob], groups: [.default, work],
            evidence: Evidence(bindings: [none, wide]))
        #expect(selection.outcome == .chosen(bob))
    }

    @Test("a binding by a key of a group sifts the accounts of that group alone")
    func ofAGroup() throws {
        let ci = try AccessGroup("ci")
        let robots = try ["eve", "dan"].map { try SelectionSample.candidate($0, group: ci) }
        func select(_ bindings: [Binding], _ candidates: [Candidate]) -> Selection {
            AccountSelector().select(
                TokenRequest(context: context), among: candidates, groups: [ci, .default],
                evidence: Evidence(bindings: bindings))
        }
        let toEve = SelectionSample.binding(.directory("/"), robots[0], from: .keyring(ci), by: .group)
        #expect(select([toEve], [ada] + robots).outcome == .ambiguous([robots[0], ada]))
        #expect(select([toEve], robots).outcome == .chosen(robots[0]))
        // The owner's goes before it, however wide.
        let toAda = SelectionSample.binding(.tool("gh"), ada)
        #expect(select([toEve, toAda], [ada] + robots).outcome == .chosen(ada))
        // It does not end the request where others are left.
        let vain = select([toEve], [ada, robots[1]])
        #expect(vain.outcome == .chosen(ada) && vain.passedOver == [toEve])
        #expect(select([toEve], [robots[1]]).outcome == .boundToNobody(toEve))
        // Nor does it mean an account of another group.
        let across = SelectionSample.binding(.directory("/"), ada, from: .keyring(ci), by: .group)
        #expect(select([across], [ada, bob]).outcome == .ambiguous([ada, bob]))
        #expect(select([across], [ada, bob] + robots).outcome == .ambiguous([ada, bob]))
    }

    @Test("the default of a group counts where nobody else is left, the owner's among all")
    func defaults() throws {
        let ci = try AccessGroup("ci")
        var robot = try SelectionSample.candidate("eve", group: ci, isDefault: true)
        func outcome(_ candidates: [Candidate]) -> Selection.Outcome {
            AccountSelector().select(TokenRequest(), among: candidates, groups: [ci, .default]).outcome
        }
        let other = try SelectionSample.candidate("dan", group: ci)
        #expect(outcome([robot, other]) == .chosen(robot))
        #expect(outcome([robot, ada]) == .ambiguous([robot, ada]))
        robot.isOwnersDefault = true
        #expect(outcome([robot, ada]) == .chosen(robot))
    }

    @Test("one directory has an account at each provider")
    func providers() {
        let bindings = [ada, carol].map { SelectionSample.binding(.directory("/home/ada/work"), $0) }
        var request = TokenRequest(environment: "other.example", context: context)
        #expect(select(bindings, request, among: [ada, bob, carol]).outcome == .chosen(carol))
        request.environment = "idp.example"
        #expect(select(bindings, request, among: [ada, bob, carol]).outcome == .chosen(ada))
        request.environment = nil
        #expect(select(bindings, request, among: [ada, bob, carol]).outcome == .ambiguous([ada, carol]))
    }

    @Test("what the request names goes before what is bound")
    func explicit() {
        let binding = SelectionSample.binding(.tool("gh"), bob)
        #expect(select([binding], TokenRequest(account: "ada", context: context)).outcome == .chosen(ada))
    }

    @Test("none of the keyring blocks a wider file, and of other subjects no file")
    func noneAndFiles() {
        let (deep, wide) = ("/home/ada/work/app", "/home/ada")
        let file = SelectionSample.binding(.directory(deep), ada, from: .file(deep + "/.keyfob.toml", .default))
        for (subject, blocks) in [
            (Binding.Subject.directory(deep), true), (.directory(wide), false), (.tool("gh"), false),
            (.host("git.example"), false),
        ] {
            let none = SelectionSample.binding(subject, nil)
            #expect(select([none, file]).outcome == (blocks ? .ambiguous([ada, bob]) : .chosen(ada)), "\(subject)")
        }
        let nearer = SelectionSample.binding(.directory(deep), nil, from: .file(deep + "/.keyfob.toml", .default))
        let wider = SelectionSample.binding(.directory(wide), ada, from: .file(wide + "/.keyfob.toml", .default))
        #expect(select([nearer, wider]).outcome == .ambiguous([ada, bob]))
    }

    @Test("whatever is bound in the keyring goes before a file, however near that is")
    func origins() {
        let near = SelectionSample.binding(
            .directory("/home/ada/work/app"), ada, from: .file("/home/ada/work/app/.keyfob.toml", .default))
        for subject in Self.subjects {
            #expect(select([near, SelectionSample.binding(subject, bob)]).outcome == .chosen(bob))
        }
        let file = SelectionSample.binding(
            .directory("/home/ada/work"), ada, from: .file("/home/ada/work/.keyfob.toml", .default))
        let own = SelectionSample.binding(.directory("/home/ada/work"), bob)
        #expect(select([file, own]).outcome == .chosen(bob))
        #expect(select([file]).outcome == .chosen(ada))
        #expect(select([file]).verdicts[0].verdict.description.hasSuffix("by /home/ada/work/.keyfob.toml"))
    }

    @Test(
        "any order of accounts, bindings and groups' accounts: the same decision", arguments: 0..<200 as Range<UInt64>)
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let work = try AccessGroup("work")
        var candidates = try ["ada", "bob", "carol", "dan"].map {
            try SelectionSample.candidate(
                $0, group: $0 == "ada" || Bool.random(using: &generator) ? .default : work,
                state: [.signedIn, .tokensOnly, .signedOut].randomElement(using: &generator) ?? .signedIn,
                isDefault: Bool.random(using: &generator))
        }
        candidates.append(try SelectionSample.candidate("ada", group: work))
        let bindings = Self.subjects.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }.map {
            SelectionSample.binding(
                $0, candidates.randomElement(using: &generator),
                from: .keyring(Bool.random(using: &generator) ? .default : work),
                by: Bool.random(using: &generator) ? .owner : .group)
        }
        let request = TokenRequest(context: context)
        let expected = AccountSelector().select(
            request, among: candidates, groups: [.default, work], evidence: Evidence(bindings: bindings))
        for _ in 0..<5 {
            let again = AccountSelector().select(
                request, among: candidates.shuffled(using: &generator), groups: [.default, work],
                evidence: Evidence(bindings: bindings.shuffled(using: &generator)))
            #expect(again == expected)
        }
    }
}
