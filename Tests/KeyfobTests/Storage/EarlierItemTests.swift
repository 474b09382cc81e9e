import Foundation
import Keyfob
import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// Items as earlier versions wrote them: everything of a record in the secret, and nothing of it beside.
@Suite("Items of the earlier form", .waitsForPrograms)
struct EarlierItemTests {
    /// Makes an item what an earlier version would have written.
    private func age(_ item: VaultItems.Path, _ items: VaultItems) throws {
        var attributes = try items.attributes(item)
        let record = try #require(attributes["record"].flatMap { Base64.url.decode($0.utf8) })
        let isEncoded = attributes["encoding"] == "base64url"
        let text = try items.content(item)
        let secret = isEncoded ? try #require(Base64.url.decode(text)) : text
        let (content, count) = (record[53], record.count - 20)
        // A setting's body was where all others' are.
        let body = content == 2 ? secret : Array(record[76..<count])
        var bytes = Array("KFI1".utf8)
        bytes += record[4..<53]
        bytes.append(content == 1 ? 1 : 0)
        bytes += record[54..<72]
        for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: body.count >> (8 * place))) }
        bytes += body
        if content == 1 { bytes += secret }
        bytes += BLAKE2b.hash(bytes, count: 16)
        try items.set(item, to: Array(Base64.url.text(bytes).utf8))
        attributes = attributes.filter { !["record", "encoding"].contains($0.key) && !$0.key.hasPrefix("called:") }
        let (schema, group) = (try #require(attributes["xdg:schema"]), Array(record[20..<36]))
        if schema != "io.keyfob.Account" {
            attributes = attributes.filter { !["username", "label"].contains($0.key) }
        }
        attributes["xdg:schema"] = "io.keyfob.Credential"
        (attributes["kind"], attributes["vault"], attributes["keyfob"]) = (kinds[schema], items.vault, nil)
        attributes["group-id"] = hexadecimal(group)
        try items.service.setAttributes(of: item, to: attributes, label: "Keyfob default: something")
    }

    private let kinds = [
        "io.keyfob.Account": "account", "io.keyfob.AccessToken": "access-token",
        "io.keyfob.RefreshToken": "refresh-token", "io.keyfob.Setting": "setting", "io.keyfob.Deleted": "deleted",
    ]

    /// Ada and her tokens, a default account, and what is left of Bob.
    private func fill(_ home: KeyringHome) throws {
        let (ada, bob) = (try Account.contoso("ada", label: "boss"), try Account.contoso("bob"))
        try home.keyring.store(.refresh(ada), "refresh of ada", for: ada)
        try home.keyring.store(.access(ada), "token of ada", for: ada)
        try home.keyring.store(.access(bob), "{\"token\": \"of bob\"}", for: bob, in: [work])
        try home.keyring.accounts.setDefault(ada.id, in: .default)
        try home.keyring.store(.refresh(bob), "refresh of bob", for: bob)
        _ = try home.keyring.accounts.removeForGood(bob.id, from: .default)
    }

    private let work: AccessGroup

    init() throws { work = try AccessGroup("work") }

    private func expectAll(_ home: KeyringHome, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let opened = try home.opened()
        #expect(try opened.health.verify().problems == [], sourceLocation: sourceLocation)
        #expect(try opened.tokenText(TokenRequest()) == "token of ada", sourceLocation: sourceLocation)
        #expect(try opened.tokenText(TokenRequest(account: "boss")) == "token of ada", sourceLocation: sourceLocation)
        let bobs = TokenRequest(account: "bob@contoso.example")
        #expect(try opened.tokenText(bobs, in: [work]) == "{\"token\": \"of bob\"}", sourceLocation: sourceLocation)
        let ada = try Account.contoso("ada")
        #expect(try opened.accounts.credentials(of: ada.id, in: .default).count == 2, sourceLocation: sourceLocation)
        #expect(try opened.accounts.list(in: [.default]).count == 1, sourceLocation: sourceLocation)
    }

    @Test("are told, and written anew by a repair with nothing put aside")
    func repaired() throws {
        let home = try KeyringHome(in: SharedSession.forOneVault())
        try home.keyring.groups.create(work)
        try fill(home)
        let items = try home.items()
        let all = try items.records()
        for item in all { try age(item, items) }
        let opened = try home.opened()
        #expect(
            try opened.health.verify().problems.filter { $0.contains("an earlier version of Keyfob") }.count
                == all.count)
        #expect(try opened.accounts.list() == [])
        let told = opened.takeWarnings()
        #expect(told.contains { $0.message.contains("an earlier version") && $0.advice != nil }, "\(told)")
        #expect(try opened.health.repair().files == [])
        #expect(try items.records() == all)
        let token = try items.record(["xdg:schema": "io.keyfob.AccessToken", "username": "ada@contoso.example"])
        #expect(String(decoding: try items.content(token), as: UTF8.self) == "token of ada")
        #expect(try items.label(token).hasPrefix("Keyfob: ada@contoso.example"))
        try expectAll(home)
    }

    @Test("a repair that is stopped at whichever call is completed by the next one")
    func stopped() throws {
        let refusing = try RefusingSession()
        var (number, isRefused) = (0, true)
        while isRefused {
            number += 1
            let home = try KeyringHome(in: refusing.session)
            try home.keyring.groups.create(work)
            try fill(home)
            let items = try home.items()
            for item in try items.records() { try age(item, items) }
            let opened = try home.opened()
            try refusing.order("refuse from \(number) SetSecret Set")
            isRefused = failure(of: KeyringError.self) { _ = try opened.health.repair() } != nil
            try refusing.order("")
            #expect(try opened.health.repair().files == [], "\(number)")
            try expectAll(home)
        }
        #expect(number > 10)
    }

    @Test("one that was written later in today's form counts, and the earlier one goes")
    func doubled() throws {
        let home = try KeyringHome(in: SharedSession.forOneVault())
        let ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada), "old", for: ada)
        let items = try home.items()
        let item = try items.record(["xdg:schema": "io.keyfob.AccessToken"])
        let old = try items.snapshot(item)
        try home.keyring.store(.access(ada, expires: 7_200), "new", for: ada)
        let double = try items.double(item)
        try items.put(old, into: double)
        try age(double, items)
        #expect(try home.opened().health.repair().files == [])
        #expect(try items.records(["xdg:schema": "io.keyfob.AccessToken"]) == [item])
        #expect(try home.opened().tokenText(TokenRequest(account: "ada@contoso.example")) == "new")
        #expect(try home.opened().health.verify().problems == [])
    }
}
