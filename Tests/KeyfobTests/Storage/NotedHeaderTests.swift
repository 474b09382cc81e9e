import Foundation
import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Testing

/// The note of the item in which the header was found last, which is where it is looked for first.
@Suite("The note of the header's item", .waitsForPrograms)
struct NotedHeaderTests {
    private let home: KeyringHome
    private let items: VaultItems
    private let work: AccessGroup
    private let request = TokenRequest(account: "ada@contoso.example")

    init() throws {
        home = try KeyringHome(in: SharedSession.forOneVault())
        work = try AccessGroup("work")
        let ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada), "token of ada", for: ada)
        items = try home.items()
        _ = try home.opened()
    }

    private var path: String { "\(home.location.state)/\(home.keyring.vaultID).item" }

    private func noted() throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private func note(_ text: String) throws { try text.write(toFile: path, atomically: false, encoding: .utf8) }

    private func header() throws -> VaultItems.Path { try #require(items.headers().first) }

    private func expectWhole(_ opened: Keyring, groups: Int = 1, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        #expect(try opened.groups.list().count == groups, sourceLocation: sourceLocation)
        #expect(try opened.tokenText(request) == "token of ada", sourceLocation: sourceLocation)
        #expect(opened.takeWarnings() == [], sourceLocation: sourceLocation)
        #expect(try opened.health.verify().problems == [], sourceLocation: sourceLocation)
    }

    @Test("it follows the header, and what it says does not count where the item says otherwise")
    func wrong() throws {
        let other = try KeyringHome(in: home.session)
        let theirs = try #require(other.items().headers().first)
        let right = try noted()
        #expect(try right.count == 2 && right[1] == header().path)
        let elsewhere = "/org/freedesktop/secrets/collection/nosuch/1"
        let records = try items.records()
        let paths = [theirs.path, elsewhere, "/", "x", right[1] + "x"] + records.map(\.path)
        for text in paths.map({ "0 \($0)\n" }) + ["", "\n", "0", "0 \n", "x \(right[1])\n", "0 \(right[1])"] {
            try note(text)
            try expectWhole(try home.opened())
            #expect(try noted() == right, "\(text)")
        }
    }

    @Test("a header that was put aside is not used again because a note leads to it")
    func putAside() throws {
        let old = try header()
        let content = try items.content(old)
        try home.keyring.groups.create(work)
        let newer = try items.double(old)
        try items.set(old, to: content)
        _ = try home.opened().health.repair()
        #expect(try items.headers() == [newer])
        #expect(try items.content(old) == content)
        try note("0 \(old.path)\n")
        try expectWhole(try home.opened(), groups: 2)
        #expect(try noted()[1] == newer.path)
        try home.keyring.groups.create(AccessGroup("third"))
        try expectWhole(try home.opened(), groups: 3)
        #expect(try items.content(old) == content)
    }

    @Test("an older header in the noted item gives way to a newer one elsewhere, for who has the vault open too")
    func older() throws {
        let old = try header()
        let content = try items.content(old)
        let opened = try home.opened()
        try home.keyring.groups.create(work)
        _ = try home.opened()
        try items.double(old)
        try items.set(old, to: content)
        #expect(try home.opened().groups.list().count == 2)
        try opened.groups.create(AccessGroup("third"))
        #expect(try home.opened().groups.list().count == 3)
    }

    @Test("whoever turns back the header and the note is told of as before")
    func turnedBack() throws {
        let old = try header()
        let (content, text) = (try items.content(old), try String(contentsOfFile: path, encoding: .utf8))
        try home.keyring.groups.create(work)
        _ = try home.opened()
        let newer = try items.double(old)
        try items.set(old, to: content)
        try note(text)
        let opened = try home.opened()
        // What is behind the mark is read once more, by who searches.
        #expect(try opened.groups.list().count == 2 && opened.takeWarnings() == [])
        #expect(try !opened.health.verify().problems.isEmpty)
        try items.service.delete(newer)
        try note(text)
        #expect(try home.opened().takeWarnings().contains { $0.message.contains("earlier state") })
    }

    @Test("where it leads to nothing any more, the header is made again, and noted")
    func gone() throws {
        let old = try noted()
        try items.service.delete(header())
        #expect(try home.opened().takeWarnings().count == 1)
        #expect(try noted()[1] == header().path && noted()[0] != old[0])
        try expectWhole(try home.opened())
    }

    @Test("a vault opens without it, and where nobody can write it")
    func unwritable() throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expectWhole(try home.opened())
        try home.keyring.groups.create(work)
        try expectWhole(try home.opened(), groups: 2)
    }
}
