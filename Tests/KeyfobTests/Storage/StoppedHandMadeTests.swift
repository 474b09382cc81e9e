import Foundation
import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Testing

/// Changes of a token that somebody has put beside the vault's items, of which one call fails.
@Suite("Changes of tokens made by hand that are stopped", .waitsForPrograms)
struct StoppedHandMadeTests {
    /// What is done to the token, which is Ada's.
    enum Change: String, CaseIterable {
        case add, label, remove, move

        func make(_ keyring: Keyring, _ account: Account) throws {
            switch self {
            case .add: try keyring.store(Desk.credential(account), "stored", for: account)
            case .label: try keyring.accounts.setLabel("boss", of: account.id, in: .default)
            case .remove: _ = try keyring.accounts.removeForGood(account.id, from: .default)
            case .move: _ = try keyring.accounts.move(account.id, from: .default, to: AccessGroup("work"))
            }
        }
    }

    /// A vault with a group `work`, and Ada's token beside its items, which the service counts the calls of.
    private struct Desk {
        let refusing: RefusingSession
        let home: KeyringHome
        let ada: Account
        let service: SecretService

        init() throws {
            refusing = try RefusingSession()
            home = try KeyringHome(in: refusing.session)
            try home.keyring.groups.create(AccessGroup("work"))
            ada = try Account(id: #require(AccountID("ada@git.example")), username: "ada")
            service = try home.items().service
            try put("pasted")
        }

        /// What stands where the token was made by hand: it tells of no client and of no tenant.
        static func credential(_ account: Account) -> Credential {
            Credential(kind: .accessToken, account: account.id, clientID: Credential.noClient, cachedAt: noon)
        }

        static let attributes = [
            "xdg:schema": "io.keyfob.AccessToken", "account": "ada@git.example",
        ]

        func put(_ token: String, _ attributes: [String: String] = [:]) throws {
            let collection = try service.defaultCollection().path
            let all = Self.attributes.merging(["by": "hand"]) { $1 }.merging(attributes) { $1 }
            _ = try service.create(label: "by hand", attributes: all, secret: secret(token), as: .plain, in: collection)
        }

        /// The items with a token of Ada's, Keyfob's or not.
        func tokens() throws -> [SecretService.ItemPath] { try service.search(Self.attributes, in: nil).items }

        var hasNote: Bool { FileManager.default.fileExists(atPath: home.location.vault + "/changes") }

        func text(_ keyring: Keyring, in group: String = "default") -> String? {
            try? keyring.tokenText(TokenRequest(account: "ada@git.example"), in: [AccessGroup(group)])
        }
    }

    @Test(
        "the next command completes them, whichever call fails", arguments: Change.allCases, ["once", "from"])
    func stopped(change: Change, mode: String) throws {
        var (number, isRefused) = (0, true)
        while isRefused {
            number += 1
            let desk = try Desk()
            try desk.refusing.order("refuse \(mode) \(number) \(RefusingSession.changes)")
            let error = failure(of: KeyringError.self) { try change.make(desk.home.keyring, desk.ada) }
            try desk.refusing.order("")
            isRefused = error != nil
            let comment: Comment = "\(mode) \(number)"
            let opened = try desk.home.opened()
            let isMade = number > 1 || !isRefused
            let (text, moved) = (desk.text(opened), desk.text(opened, in: "work"))
            let items = try desk.tokens()
            let label = try items.first.map { try desk.service.label(of: $0) }
            switch change {
            case .add:
                #expect(text == (isMade ? "stored" : "pasted"), comment)
                #expect(isMade == (label?.hasPrefix("Keyfob: ada") == true), comment)
            case .label:
                #expect(text == "pasted", comment)
                #expect(try opened.accounts.list().map(\.account.label) == [isMade ? "boss" : nil], comment)
            case .remove: #expect((text == nil) == isMade, comment)
            case .move: #expect(text == (isMade ? nil : "pasted") && moved == (isMade ? "pasted" : nil), comment)
            }
            #expect(items.count == (change == .remove && isMade ? 0 : 1), comment)
            let byHand = try opened.tokens.madeByHand().tokens.count
            #expect(byHand == (change == .label || !isMade ? 1 : 0), comment)
            #expect(try opened.health.verify().problems == [], comment)
            #expect(!desk.hasNote, comment)
        }
        #expect(number > 1)
    }

    @Test("a token that somebody has put there since is left alone", arguments: [Change.add, .move])
    func since(change: Change) throws {
        let desk = try Desk()
        try desk.home.keyring.store(.refresh(desk.ada), "refresh", for: desk.ada)
        var number = 1
        while !desk.hasNote {
            number += 1
            try #require(number < 20)
            try desk.refusing.order("refuse from \(number) \(RefusingSession.changes)")
            _ = failure(of: KeyringError.self) { try change.make(desk.home.keyring, desk.ada) }
        }
        try desk.refusing.order("")
        let item = try #require(
            desk.tokens().first { try desk.service.attributes(of: $0)["by"] == "hand" })
        try desk.service.setSecret(of: item, to: secret("since"), as: .plain)
        let opened = try desk.home.opened()
        #expect(desk.text(opened) == "since")
        #expect(try opened.tokens.madeByHand().tokens.count == 1)
        #expect(try opened.health.verify().problems == [])
    }

    @Test("they go with their group to its new name, unless another vault may take them too", arguments: [false, true])
    func renamed(isShared: Bool) throws {
        let desk = try Desk()
        try desk.put("of work", ["group": "work", "scope": "repo", "expires": "2100-01-01T00:00:00Z", "note": "mine"])
        let job = try AccessGroup("job")
        let other = isShared ? try KeyringHome(in: desk.home.session) : nil
        try other?.keyring.groups.create(AccessGroup("work"))
        try desk.home.keyring.groups.rename(AccessGroup("work"), to: job)
        let opened = try desk.home.opened()
        #expect(desk.text(opened) == "pasted")
        #expect(desk.text(opened, in: "job") == (isShared ? nil : "of work"))
        let found = try opened.tokens.madeByHand()
        #expect(found.unusable.count == (isShared ? 1 : 0))
        let attributes = try desk.tokens().map { try desk.service.attributes(of: $0) }
        let kept = try #require(attributes.first { $0["scope"] == "repo" })
        #expect(kept["note"] == "mine" && kept["group"] == (isShared ? "work" : "job"))
        if let other { #expect(desk.text(other.keyring, in: "work") == "of work") }
        // Those that name no group are for 'default'.
        try opened.groups.rename(job, to: AccessGroup("work"))
        #expect(desk.text(try desk.home.opened(), in: "work") == "of work")
    }

    @Test("a renaming that is stopped is completed with them, whichever call fails", arguments: ["once", "from"])
    func renaming(mode: String) throws {
        var (number, isRefused) = (0, true)
        while isRefused {
            number += 1
            let desk = try Desk()
            try desk.home.keyring.store(.refresh(desk.ada), "refresh", for: desk.ada, in: [AccessGroup("work")])
            try desk.put("of work", ["group": "work"])
            try desk.refusing.order("refuse \(mode) \(number) \(RefusingSession.changes)")
            let error = failure(of: KeyringError.self) {
                try desk.home.keyring.groups.rename(AccessGroup("work"), to: AccessGroup("job"))
            }
            try desk.refusing.order("")
            isRefused = desk.refusing.hasRefused
            let comment: Comment = "\(mode) \(number): \(String(describing: error))"
            let opened = try desk.home.opened()
            let names = try opened.groups.list().map(\.name.name)
            #expect(names.count == 2 && !desk.hasNote, comment)
            // A token that the service lets nobody change keeps no group from its name, and is told.
            let isLeft = isRefused && error == nil
            #expect(desk.text(opened, in: names[1]) == (isLeft ? nil : "of work"), comment)
            #expect(try opened.tokens.madeByHand().unusable.count == (isLeft ? 1 : 0), comment)
            #expect(try opened.health.verify().problems == [], comment)
        }
        #expect(number > 2)
    }
}
