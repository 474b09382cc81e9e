import Foundation
@testable import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Undoing a sign-out or a removal", .eachStorage)
struct AccountUndoTests: SilentSuite {
    let home: SilentHome
    private var keyring: Keyring { home.keyring }

    init() throws { home = try .atPlainProvider() }

    private func content() throws -> KeyringContent { try KeyringContent(home.opened()) }

    @Test(
        "brings everything back as it was, whatever the account, and leaves nothing in the journal",
        arguments: UndoneAccount.allCases, TakingAway.allCases)
    func everyKind(kind: UndoneAccount, taking: TakingAway) async throws {
        let id = try await kind.make(home)
        let bystander = try SilentHome.plainAccount("eve")
        try home.grant("rt-eve", bystander)
        let before = try content()
        home.clock.advance(by: 60)
        let offer = try #require(try await taking.take(id, from: keyring))
        #expect(offer.until == home.clock.now.advanced(by: 30 * 86_400) && offer.displaced == 0)
        #expect(try content() != before)
        home.clock.advance(by: 3_600)
        let other = try home.opened()
        let entries = try other.undo.taken()
        #expect(entries.map(\.id) == [offer.id] && entries.first?.bringsBack == true)
        #expect(entries.first?.groups == [.default] && entries.first?.command == taking.rawValue)
        let undone = try other.undo.undoTaken()
        #expect(undone.items.allSatisfy { [.returns, .goes].contains($0.outcome) }, "\(undone)")
        #expect(try content() == before)
        #expect(try keyring.health.verify().problems == [] && keyring.health.orphans().isEmpty)
        #expect(try home.opened().undo.taken().isEmpty && keyring.journalCount() == 0)
        #expect(failure(of: KeyringError.self) { _ = try keyring.undo.undoTaken() }?.code == .noSuchEntry)
    }

    @Test("and once more: what came back can be taken away and brought back again", arguments: TakingAway.allCases)
    func again(taking: TakingAway) async throws {
        let id = try await UndoneAccount.decided.make(home)
        let before = try content()
        for _ in 0..<3 {
            home.clock.advance(by: 60)
            try await taking.take(id, from: keyring)
            let isLeft = taking != .remove && taking != .forget
            if isLeft {
                let policy = UndoPolicy.keep(keyring.undo.command("x"))
                try await TakingAway.remove.take(id, from: home.opened(), undo: policy)
            }
            home.clock.advance(by: 60)
            _ = try keyring.undo.undoTaken()
            if isLeft { _ = try home.opened().undo.undoTaken() }
            #expect(try content() == before)
        }
    }

    @Test("a sign-in that the provider has revoked does not come back, and the account with its decisions does")
    func revoked() async throws {
        let id = try await UndoneAccount.decided.make(home)
        let report = try await keyring.accounts.signOut(
            id, from: .default, undo: .keep(keyring.undo.command("logout")), network: provider.network)
        #expect(report.revoked == 1 && report.undo == nil && provider.revoked == ["rt"])
        #expect(report.tokens.map(\.fate) == [.revoked, .mayStayValid] && report.revocationPage == nil)
        #expect(try keyring.journalCount() == 0)
        try home.grant("rt2", home.ada)
        try home.access("at2", home.ada)
        let forgotten = try await keyring.accounts.signOut(
            id, reach: .forget, from: .default, undo: .keep(keyring.undo.command("logout")), network: provider.network)
        #expect(forgotten.undo != nil)
        _ = try home.opened().undo.undoTaken()
        #expect(try keyring.accounts.credentials(of: id, in: .default).allSatisfy { $0.grant?.state != .active })
        let account = try #require(try home.opened().accounts.list().first)
        #expect(account.account.label == "boss" && account.isOwnersDefault)
        #expect(try keyring.bindings.list().count == 2)
    }

    @Test("a refresh token that came while the provider revoked, and was revoked too, is not kept")
    func lateRotation() async throws {
        try home.grant("rt", ada)
        try home.access("at", ada)
        provider.answer { _ in .tokens("at2", refresh: "rt2", scope: "mail.read") }
        provider.answerOthers { [home, ada] request in
            guard request.url.hasSuffix("/revoke"), request.fields["token"] == "rt" else { return nil }
            _ = try await home.token(ada, options: SilentOptions(forcesRefresh: true), from: home.opened())
            return .json("")
        }
        let report = try await keyring.accounts.signOut(
            ada.id, from: .default, undo: .keep(keyring.undo.command("logout")), network: provider.network)
        #expect(provider.revoked == ["rt", "rt2"] && report.undo == nil)
        #expect(try keyring.journalCount() == 0)
    }

    @Test("where the provider could not be told, the sign-in comes back and works", arguments: [true, false])
    func notRevoked(hasNetwork: Bool) async throws {
        try home.grant("rt", ada)
        provider.answerOthers { request in request.url.hasSuffix("/revoke") ? .status(503) : nil }
        let report = try await keyring.accounts.signOut(
            ada.id, from: .default, undo: .keep(keyring.undo.command("logout")),
            network: hasNetwork ? provider.network : nil)
        #expect(report.revoked == 0 && report.undo != nil && report.tokens.map(\.fate) == [.staysValid])
        #expect(report.notes.first?.message.contains("stays good") == true)
        _ = try keyring.undo.undoTaken()
        provider.answer(.tokens("at2", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada).text == "at2")
        #expect(provider.tokenRequests.last?.refreshToken == "rt")
        // An epoch of its own, so that other machines of a sync take it, and no end that would reach theirs.
        let grant = try home.countsOfTheGrant(of: ada)
        #expect(grant == Grant(epoch: 2, generation: 2, rotates: true), "\(grant)")
    }

    @Test("what is there again and newer stays, and only what is missing comes back", arguments: TakingAway.allCases)
    func newer(taking: TakingAway) async throws {
        let id = try await UndoneAccount.decided.make(home)
        try home.access("at-files", ada, scopes: ["files.read"])
        home.clock.advance(by: 60)
        try await taking.take(id, from: keyring)
        home.clock.advance(by: 60)
        let again = Account(id: id, username: ada.username)
        try home.grant("newer", again)
        try home.access("newer at", again)
        let undone = try keyring.undo.undoTaken()
        let kept = Set(undone.items.filter { $0.outcome == .newerIsThere }.map(\.kind))
        #expect(kept.isSuperset(of: [.refreshToken, .accessToken]))
        #expect(try await home.storedRefreshToken(of: ada) == "newer")
        #expect(try await home.token(ada).text == "newer at")
        #expect(try await home.token(ada, scopes: ["files.read"]).text == "at-files")
        // The label that the newer account lacks, and what had been decided.
        #expect(try home.opened().accounts.list().map(\.account.label) == ["boss"])
        #expect(try keyring.bindings.list().count == 2)
        // What could not come back is kept, and is not what is undone next.
        #expect(try keyring.undo.taken().first?.bringsBack == false)
        #expect(failure(of: KeyringError.self) { _ = try keyring.undo.undoTaken() }?.code == .noSuchEntry)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("a label that another account has by now stays that one's, and so does the default")
    func labelTaken() async throws {
        let id = try await UndoneAccount.decided.make(home)
        try await TakingAway.remove.take(id, from: keyring)
        let bob = try SilentHome.plainAccount("bob")
        try home.grant("rt-bob", bob)
        try keyring.accounts.setLabel("boss", of: bob.id, in: .default)
        try keyring.accounts.setDefault(bob.id, in: .default)
        _ = try keyring.undo.undoTaken()
        let accounts = try home.opened().accounts.list()
        #expect(accounts.first { $0.account.id == id }?.account.label == nil)
        #expect(accounts.first { $0.account.id == bob.id }?.account.label == "boss")
        #expect(accounts.filter(\.isDefault).map(\.account.id) == [bob.id])
    }

    @Test("the newest comes first; one of before comes back by its id, whatever came after")
    func order() async throws {
        var offers: [UndoOffer] = []
        for name in ["ada", "bob", "eve"] {
            let account = try SilentHome.plainAccount(name)
            try home.grant("rt-\(name)", account)
            home.clock.advance(by: 60)
            offers.append(try #require(try await TakingAway.forget.take(account.id, from: keyring)))
        }
        #expect(try keyring.undo.taken().map(\.id) == offers.reversed().map(\.id))
        _ = try keyring.undo.undo(offers[0].id)
        _ = try keyring.undo.undoTaken()
        #expect(try Set(keyring.accounts.list().map(\.account.username)) == ["ada@id.example", "eve@id.example"])
        for id in [offers[0].id, "zzzz", ""] {
            #expect(failure(of: KeyringError.self) { _ = try keyring.undo.undo(id) }?.code == .noSuchEntry, "\(id)")
        }
        #expect(try keyring.undo.undo(String(offers[1].id.prefix(4)).uppercased()).id == offers[1].id)
    }

    @Test("tokens do not come back without their account: its removal is undone first")
    func accountGone() async throws {
        try home.grant("rt", ada)
        let signedOut = try #require(try await TakingAway.logout.take(ada.id, from: keyring))
        home.clock.advance(by: 60)
        _ = try #require(try await TakingAway.remove.take(ada.id, from: keyring))
        let refused = try keyring.undo.undo(signedOut.id)
        #expect(refused.items.filter { $0.kind == .refreshToken }.map(\.outcome) == [.accountIsGone])
        #expect(try keyring.accounts.list().isEmpty && keyring.health.orphans().isEmpty)
        _ = try keyring.undo.undoTaken()
        #expect(try keyring.accounts.list().map(\.state) == [.signedOut])
        _ = try keyring.undo.undoTaken()
        #expect(try keyring.accounts.list().map(\.state) == [.signedIn])
    }

    @Test("one command that signs several accounts out in several groups comes back as one")
    func severalAtOnce() async throws {
        let id = try await UndoneAccount.inTwoGroups.make(home)
        let bob = try SilentHome.plainAccount("bob")
        try home.grant("rt-bob", bob)
        let (before, work) = (try content(), try AccessGroup("work"))
        let command = keyring.undo.command("logout --all")
        var offers: Set<String?> = []
        for (account, group) in [(id, .default), (bob.id, .default), (id, work)] as [(AccountID, AccessGroup)] {
            home.clock.advance(by: 1)
            let offer = try await TakingAway.everywhere.take(account, from: keyring, in: group, undo: .keep(command))
            offers.insert(offer?.id)
        }
        let entries = try home.opened().undo.taken()
        #expect(offers.count == 1 && entries.count == 1 && entries.first?.groups.count == 2)
        #expect(entries.first?.accountNames.count == 2)
        _ = try home.opened().undo.undoTaken()
        #expect(try content() == before && keyring.journalCount() == 0)
    }

    @Test("a sign-in that another group has used since does not come back: its provider has replaced the token")
    func usedElsewhere() async throws {
        let detection = ReuseDetection()
        provider.answer { detection.answer($0) }
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        try home.addPlainProvider(rotation: "yes", in: [work])
        try home.addPlainProvider(rotation: "yes", replacing: true)
        for group in [AccessGroup.default, work] {
            try keyring.store(.refresh(ada, client: "app"), "rt1", for: ada, in: [group])
        }
        home.clock.advance(by: 60)
        try await TakingAway.logout.take(ada.id, from: keyring)
        // Nobody has used it: it comes back, and both groups follow each other as before.
        _ = try keyring.undo.undoTaken()
        try await TakingAway.logout.take(ada.id, from: keyring)
        home.clock.advance(by: 60)
        let request = TokenRequest(account: ada.id.description, scopes: ["mail.read"])
        _ = try await keyring.tokens.acquireSilently(for: request, in: [work], network: provider.network)
        #expect(try keyring.undo.taken().first?.items.contains { $0.outcome == .usedElsewhere } == true)
        #expect(failure(of: KeyringError.self) { _ = try keyring.undo.undoTaken() }?.code == .noSuchEntry)
        let id = try #require(try keyring.undo.taken().first?.id)
        let undone = try keyring.undo.undo(id)
        #expect(!undone.bringsBack && undone.items.contains { $0.outcome == .usedElsewhere })
        #expect(try keyring.accounts.list(in: [.default]).map(\.state) == [.signedOut])
        // The sign-in of the other group lives.
        _ = try await keyring.tokens.acquireSilently(
            for: request, options: SilentOptions(forcesRefresh: true), in: [work], network: provider.network)
        #expect(!detection.isDead)
    }

    @Test("a request says how a token that was added by hand comes back, and else asks for a new one")
    func advice() async throws {
        let id = try await UndoneAccount.addedByHand.make(home)
        let offer = try #require(try await TakingAway.logout.take(id, from: keyring))
        let refusal = await home.refusal(Account(id: id, username: "deploy"), scopes: ["repo"])
        #expect(refusal?.code == .signInNeeded && refusal?.advice == .undo(id: offer.id, until: offer.until))
        let unnamed = failure(of: KeyringError.self) { _ = try keyring.tokens.stored(for: TokenRequest()) }
        #expect(unnamed?.code == .signInNeeded && unnamed?.advice == .undo(id: offer.id, until: offer.until))
        _ = try keyring.undo.clear()
        #expect(
            await home.refusal(Account(id: id, username: "deploy"), scopes: ["repo"])?.advice
                == .storeTokenOf(id.description, scopes: ["repo"]))
        _ = try await UndoneAccount.addedByHand.make(home)
        #expect(try home.opened().accounts.list().map(\.state) == [.tokensOnly])
    }

    @Test("two processes that undo the same at once: one brings it back, and nothing is there twice")
    func atOnce() async throws {
        let id = try await UndoneAccount.severalClients.make(home)
        let before = try content()
        for _ in 0..<TestLength.rounds(3, full: 30) {
            home.clock.advance(by: 1)
            try await TakingAway.forget.take(id, from: keyring)
            let keyrings = try (0..<4).map { _ in try home.opened() }
            let done = await withTaskGroup(of: Bool.self) { group in
                for keyring in keyrings { group.addTask { (try? keyring.undo.undoTaken()) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(done == 1)
            #expect(try content() == before && keyring.health.verify().problems == [])
        }
    }

    @Test("looking changes nothing")
    func looking() async throws {
        let id = try await UndoneAccount.decided.make(home)
        _ = try keyring.accounts.remove(
            id, from: .default, unbinds: true, undo: .keep(keyring.undo.command("account remove")))
        let state = try home.home.state()
        let entry = try #require(try home.opened().undo.taken().first)
        #expect(try home.opened().undo.entry(nil) == entry)
        #expect(Set(entry.items.map(\.kind)) == [.account, .refreshToken, .accessToken, .decision])
        #expect(entry.items.compactMap(\.text).contains("tool gh is bound to ada-sub@id.example"))
        #expect(entry.accountNames == ["boss"])
        #expect(try home.home.state() == state)
    }
}
