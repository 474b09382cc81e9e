import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobRecords

// What is left of accounts that were removed, and of their other ids.
extension AdoptionTests {
    @Test(
        "no part of a name is anybody's that an account had which was removed or moved away", arguments: [false, true])
    func removedNames(moves: Bool) throws {
        let home = try KeyringHome()
        let (keyring, work) = (home.keyring, try AccessGroup("work"))
        try keyring.groups.create(work)
        let (person, adam) = (try proved("countess"), try proved("adam", "3"))
        try adopt(try claimed(), as: person, in: keyring)
        try keyring.store(stored(person), "hers", for: person)
        try keyring.store(stored(adam), "adam's", for: adam)
        let names = ["ada", "ADA", "ada@git.example", "countess", person.id.description]
        for name in names { #expect(try keyring.tokenText(TokenRequest(account: name)) == "hers") }
        if moves {
            _ = try keyring.accounts.move(person.id, from: .default, to: work)
        } else {
            _ = try keyring.accounts.removeForGood(person.id, from: .default)
        }
        for name in names {
            #expect(keyring.refusal(TokenRequest(account: name), in: [.default]) == .noSuchAccount)
            let failed = failure(of: KeyringError.self) { _ = try keyring.accounts.named(name, in: [.default]) }
            #expect(failed?.code == .noSuchAccount && failed?.advice == .forgetAccount(person.id.description, .default))
            if moves { #expect(try keyring.tokenText(TokenRequest(account: name)) == "hers") }
        }
        // Whoever is there and had the name comes before whoever is gone.
        let other = try proved("baroness", "4")
        try adopt(try claimed(), as: other, in: keyring)
        try keyring.store(stored(other), "other", for: other)
        #expect(try keyring.accounts.named("ada", in: [.default]).account.id == other.id)
        #expect(try keyring.tokenText(TokenRequest(account: "ada"), in: [.default]) == "other")
        _ = try keyring.accounts.removeForGood(other.id, from: .default, unbinds: true)
        #expect(keyring.refusal(TokenRequest(account: "ada"), in: [.default]) == .noSuchAccount)
        _ = try keyring.accounts.removeForGood(person.id, from: .default, unbinds: true)
        #expect(try keyring.tokenText(TokenRequest(account: "ada"), in: [.default]) == "adam's")
    }

    @Test("an account that is remembered only is proved with its label and its names", arguments: [false, true])
    func remembered(isLabelTaken: Bool) throws {
        let home = try KeyringHome()
        let (keyring, person) = (home.keyring, try proved())
        var ada = try claimed(label: "engine")
        ada.formerNames = ["augusta"]
        try keyring.withState { state in
            try keyring.change(&state, try state.group(.default)) { _ = try $0.save(ada, from: .owner) }
        }
        try keyring.store(stored(ada), "by hand", for: ada)
        _ = try keyring.accounts.removeForGood(ada.id, from: .default)
        let bob = try proved("bob", "2")
        try keyring.store(stored(bob), "bob's", for: bob)
        if isLabelTaken { try keyring.accounts.setLabel("engine", of: bob.id, in: .default) }
        try adopt(ada, as: person, in: keyring)
        let account = try keyring.accounts.named("augusta").account
        #expect(account.id == person.id && account.label == (isLabelTaken ? nil : "engine"))
        #expect(account.formerNames == [ada.id.description, "augusta"])
        #expect(try keyring.accounts.named("engine").account.id == (isLabelTaken ? bob.id : person.id))
        #expect(try keyring.accounts.former().isEmpty)
    }

    @Test("what is remembered of an account is all there again, and a line that lacks something is passed over")
    func notes() throws {
        var account = try proved("a name\n%", "1 8")
        (account.label, account.formerNames, account.isProved) = ("l", ["ada@git.example", "old name", "100%"], true)
        account.tenantProfiles = []
        let id = try #require(AccountID(homeAccountID: "ada", environment: Self.environment))
        let kept = [FormerAccount(account, holding: [.refresh(account)]), FormerAccount(id)]
        let text = FormerAccount.text(of: kept)
        #expect(FormerAccount.all(in: text) == kept)
        #expect(FormerAccount.all(in: text).first?.account.formerNames == account.formerNames)
        let lines = text.split(separator: "\n")
        let short = lines[0].split(separator: " ", omittingEmptySubsequences: false).dropLast().joined(separator: " ")
        #expect(FormerAccount.all(in: "\(short)\n\(lines[1])") == [kept[1]])
    }

    /// By what an account gets another id after something was taken away.
    enum Way: CaseIterable { case signIn, merge }

    private func adopt(_ ada: Account, as person: Account, _ way: Way, in keyring: Keyring) throws {
        guard way == .merge else { return try adopt(ada, as: person, in: keyring) }
        var other = person
        other.noteFormer(ada)
        try keyring.withState { state in
            try keyring.change(&state, try state.group(.default)) { writer in
                if try writer.hasAccount(ada.id) { _ = try writer.remove(ada.id) }
                _ = try writer.save(other, from: .owner)
                _ = try writer.followAllAdoptions()
            }
        }
    }

    @Test(
        "what was taken away under an id that it had comes back as its own, and goes with it", arguments: Way.allCases)
    func journal(way: Way) async throws {
        for isForever in [false, true] {
            let home = try KeyringHome()
            let (keyring, ada, person) = (home.keyring, try claimed(label: "engine"), try proved())
            try keyring.store(stored(ada), "by hand", for: ada)
            try keyring.store(.refresh(ada), "grant", for: ada)
            try keyring.accounts.setDefault(ada.id, in: .default)
            try keyring.bindings.set(.host("git.example"), to: .account(ada.id), in: .default)
            let git = try #require(Program("/usr/bin/git"))
            try keyring.programs.permit(ProgramPermission(of: git, account: ada.id, isAllowed: false, in: .default))
            _ = try await keyring.accounts.signOut(
                ada.id, from: .default, undo: .keep(keyring.undo.command("logout")), network: nil)
            _ = try keyring.accounts.remove(
                ada.id, from: .default, unbinds: true, undo: .keep(keyring.undo.command("account remove")))
            try adopt(ada, as: person, way, in: keyring)

            let entries = try keyring.undo.taken()
            #expect(entries.count == 2 && entries.flatMap(\.items).allSatisfy { $0.account == person.id })
            #expect(!entries.flatMap(\.items).contains { $0.kind == .account || $0.outcome == .accountIsGone })
            guard !isForever else {
                _ = try keyring.accounts.remove(person.id, from: .default, unbinds: true, undo: .erase)
                #expect(try keyring.journalCount() == 0 && keyring.undo.taken().isEmpty)
                continue
            }
            for entry in entries { _ = try keyring.undo.undo(entry.id) }
            #expect(try home.opened().accounts.list().map(\.account.id) == [person.id])
            #expect(try keyring.tokenText(TokenRequest(account: "ada")) == "by hand")
            let credentials = try keyring.accounts.credentials(of: person.id, in: .default)
            #expect(credentials.contains { $0.grant?.state == .active })
            #expect(try keyring.accounts.credentials(of: ada.id, in: .default).isEmpty)
            #expect(try keyring.bindings.list().map(\.target) == [.account(person.id)])
            #expect(try keyring.bindings.list().map(\.writer) == [.owner])
            #expect(try keyring.programs.permissions().map(\.account) == [person.id])
            #expect(try keyring.accounts.list().first?.isOwnersDefault == true)
            #expect(try keyring.journalCount() == 0 && keyring.health.verify().problems == [])
        }
    }

    @Test("the owner's default and what the owner forbids stay the account's, whoever gave it another id")
    func ownersDecisions() throws {
        let place = try AuthorityHome()
        let (ada, person, bob) = (try claimed(), try proved(), try proved("bob", "2"))
        for (account, token) in [(ada, "ada's"), (bob, "bob's")] {
            try place.owner.store(stored(account), token, for: account, in: [place.tools])
        }
        let git = try #require(Program("/usr/bin/git"))
        try place.owner.accounts.setDefault(ada.id, in: place.tools)
        try place.owner.programs.permit(ProgramPermission(of: git, account: ada.id, isAllowed: false, in: place.tools))
        try place.adversary.withState { state in
            try place.adversary.change(&state, try state.group(place.tools)) { writer in
                try writer.adopt(ada.id, as: person)
                try writer.adoptDecisions(of: ada.id, by: person.id)
            }
        }
        for keyring in [place.owner, try place.home.opened()] {
            #expect(try keyring.tokenText(TokenRequest(), in: [place.tools]) == "ada's")
            let found = try #require(try keyring.accounts.list(in: [place.tools]).first { $0.account.id == person.id })
            #expect(found.isDefault && found.isOwnersDefault)
            #expect(try keyring.accounts.named("1815", in: [place.tools]).isOwnersDefault)
            let permissions = try keyring.programs.permissions(in: [place.tools])
            #expect(permissions.map(\.account) == [person.id] && permissions.map(\.writer) == [.owner])
            #expect(permissions.allSatisfy { !$0.isAllowed })
        }
        // Where another account has the id, it is that one's.
        try place.owner.withState { state in
            try place.owner.change(&state, try state.group(place.tools)) { _ = try $0.save(ada, from: .owner) }
        }
        let found = try place.owner.accounts.list(in: [place.tools]).filter(\.isDefault)
        #expect(found.map(\.account.id) == [ada.id])
        #expect(try place.owner.programs.permissions(in: [place.tools]).map(\.account) == [ada.id])
    }

    @Test("the default that has another id is found among very many accounts too")
    func defaultOfMany() throws {
        let home = try KeyringHome()
        let (keyring, ada, person) = (home.keyring, try claimed(), try proved())
        try keyring.addMany(try (1...40).map { try proved("person\($0)", "p\($0)") })
        try keyring.accounts.setDefault(ada.id, in: .default)
        #expect(keyring.refusal(TokenRequest()) == .noSuchAccount)
        try keyring.withState { state in
            try keyring.change(&state, try state.group(.default)) { _ = try $0.adopt(ada.id, as: person) }
        }
        try keyring.store(stored(person), "hers", for: person)
        #expect(try home.opened().tokenText(TokenRequest()) == "hers")
        #expect(try home.opened().accounts.current().now?.account.id == person.id)
    }
}
