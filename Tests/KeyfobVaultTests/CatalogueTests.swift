import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The catalogue of a group")
struct CatalogueTests {
    private let ids: [RecordID] = (0..<8).map { _ in .random() }

    private func catalogue(_ traits: [(Catalogue.Trait, RecordID)]) -> Catalogue {
        var catalogue = Catalogue()
        for (trait, record) in traits { catalogue.insert([trait], record) }
        return catalogue
    }

    private func read(_ bytes: [UInt8]) throws -> Catalogue {
        var reader = ByteReader(bytes)
        let catalogue = try Catalogue(&reader)
        #expect(reader.isAtEnd)
        return catalogue
    }

    @Test("it names the few records of a trait, under every name of a provider and in small or capital letters")
    func few() throws {
        let catalogue = catalogue([
            (.environment("login.windows.net"), ids[0]), (.environment("github.com"), ids[1]),
            (.scope("Mail.Read"), ids[2]), (.scope("mail.read"), ids[2]),
        ])
        #expect(catalogue.records(at: { $0 == "login.microsoftonline.com" }) == [ids[0]])
        #expect(Set(try #require(catalogue.records(at: { _ in true }))) == [ids[0], ids[1]])
        #expect(catalogue.records(at: { _ in false }) == [])
        #expect(catalogue.records(with: "MAIL.read") == [ids[2]])
        #expect(catalogue.records(with: "mail.send") == [])
        #expect(try read(catalogue.encoded()) == catalogue)
    }

    @Test("its bytes are those of the format")
    func bytes() throws {
        let id = try #require(RecordID([UInt8](0x30..<0x40)))
        let catalogue = catalogue([(.environment("github.com"), id), (.scope("Mail.Read"), id)])
        let hex = "303132333435363738393a3b3c3d3e3f"
        #expect(
            Hexadecimal.text(catalogue.encoded())
                == "01000a6769746875622e636f6d01\(hex)010008d6ffd4d1b3bdb1fa01\(hex)0000")
    }

    @Test("of a domain it names some accounts, and says whether these are all, whatever came and went")
    func domains() throws {
        var catalogue = catalogue(ids.prefix(Catalogue.few).map { (.domain("contoso.example"), $0) })
        catalogue.insert([.domain("fabrikam.example")], ids[7])
        var found = try #require(catalogue.records(inDomain: "Contoso.Example"))
        #expect(Set(found.records) == Set(ids.prefix(Catalogue.few)) && found.areAll)
        found = try #require(catalogue.records(inDomain: "nobody.example"))
        #expect(found.records.isEmpty && found.areAll)
        catalogue.insert([.domain("contoso.example")], ids[4])
        for id in ids.prefix(3) { catalogue.remove(id) }
        found = try #require(read(catalogue.encoded()).records(inDomain: "contoso.example"))
        #expect(found.records == [ids[3]] && !found.areAll)
        // That there were others is not forgotten.
        catalogue.remove(ids[3])
        found = try #require(catalogue.records(inDomain: "contoso.example"))
        #expect(found.records.isEmpty && !found.areAll)
        #expect(catalogue.records(at: { _ in true }) == [] && catalogue.records(with: "contoso.example") == [])
        #expect(try read(catalogue.encoded()) == catalogue)
    }

    @Test("of too many domains, and in a catalogue that is older than domains, it says nothing of any")
    func unknownDomains() throws {
        var many = Catalogue()
        for number in 0..<97 { many.insert([.domain("d\(number).example")], ids[0]) }
        #expect(many.records(inDomain: "d1.example") == nil)
        #expect(try read(many.encoded()) == many)
        var old = catalogue([(.environment("github.com"), ids[0])]).encoded().dropLast(2)
        old += [0x80, 0, 0]
        var reader = ByteReader(old)
        var catalogue = try Catalogue(&reader)
        #expect(try reader.read(UInt8.self) == 0x80)
        #expect(catalogue.records(at: { _ in true }) == [ids[0]] && catalogue.records(inDomain: "d.example") == nil)
        catalogue.insert([.domain("d.example")], ids[0])
        #expect(catalogue.records(inDomain: "d.example") == nil)
        #expect(try read(catalogue.encoded()).records(inDomain: "d.example") == nil)
    }

    @Test("of more than a few it says that they are many, also once some of them are gone")
    func many() throws {
        var catalogue = catalogue(ids.prefix(Catalogue.few + 1).map { (.scope("repo"), $0) })
        catalogue.insert([.environment("github.com")], ids[0])
        for id in ids.prefix(3) { catalogue.remove(id) }
        #expect(catalogue.records(with: "repo") == nil)
        #expect(catalogue.records(at: { _ in true }) == [])
        #expect(try read(catalogue.encoded()).records(with: "repo") == nil)
    }

    @Test("it does not depend on the order, and a record that is gone leaves nothing")
    func order() {
        let traits = ids.prefix(3).flatMap { id in
            [(Catalogue.Trait.scope("repo"), id), (.environment("github.com"), id)]
        }
        #expect(catalogue(traits) == catalogue(traits.reversed()))
        var emptied = catalogue(traits)
        for id in ids { emptied.remove(id) }
        #expect(emptied == Catalogue())
    }

    @Test("it stays small: of too many providers or scopes, or a name too long for one, it says nothing")
    func limits() throws {
        var catalogue = Catalogue()
        for number in 0..<40 { catalogue.insert([.environment("idp\(number).example")], ids[0]) }
        #expect(catalogue.records(at: { $0 == "idp1.example" }) == nil)
        #expect(catalogue.records(with: "repo") == [])
        for number in 0..<100 { catalogue.insert([.scope("scope \(number)")], ids[0]) }
        #expect(catalogue.records(with: "repo") == nil)
        #expect(try read(catalogue.encoded()) == catalogue)
        var long = Catalogue()
        long.insert([.environment(String(repeating: "a", count: 300))], ids[0])
        #expect(long.records(at: { _ in false }) == nil)
    }

    @Test("a manifest with one is read again, and every truncation and foreign byte of it is refused")
    func manifest() throws {
        var manifest = GroupManifest()
        var element = GroupManifest.Element(kind: .account, hash: [UInt8](repeating: 7, count: 32), record: ids[0])
        element.traits = [.environment("github.com")]
        manifest.insert(element)
        let bytes = manifest.encoded()
        #expect(bytes.count % 512 == 0)
        #expect(try GroupManifest(encoded: bytes) == manifest)
        let content = try #require(bytes.lastIndex(of: 0x80))
        for count in 345...content {
            #expect(throws: (any Error).self) { try GroupManifest(encoded: Array(bytes[..<count])) }
        }
        #expect(throws: (any Error).self) { try GroupManifest(encoded: Array(bytes[..<content]) + [0]) }
    }

    @Test("who has not read a record's body knows of no trait, and then nobody does; a removal needs none")
    func unread() {
        var manifest = GroupManifest()
        var element = GroupManifest.Element(kind: .accessToken, hash: [UInt8](repeating: 7, count: 32), record: ids[0])
        element.traits = [.scope("repo")]
        manifest.insert(element)
        element.traits = nil
        manifest.remove(element)
        #expect(manifest.catalogue == Catalogue())
        manifest.insert(element)
        #expect(manifest.catalogue == nil)
        #expect(manifest.encoded().count == 344)
    }
}
