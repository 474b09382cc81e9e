import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("The names of groups")
struct GroupNameTests {
    private static let cases: [(name: String, code: KeyringError.Code?)] = [
        ("work 2", nil), ("com.microsoft.identity", nil), (".hidden", nil), ("Büro", nil), ("..", .usage),
        (".", .usage),
        ("a/b c", .usage), ("a\\b", .usage), ("-x", .usage), ("a  b", .usage), ("a\u{A0}b", .usage),
        ("Default", .alreadyExists), ("default", .alreadyExists), ("BÜRO EINS", .alreadyExists),
    ]

    /// A group as an earlier Keyfob may have stored it.
    private func store(_ names: String..., in keyring: Keyring) throws {
        for name in names {
            let group = try AccessGroup(name)
            try keyring.groups.changeVault { state in
                _ = try keyring.groups.database.createGroup(
                    group, &state.vault, noting: keyring.entry("group create"), milliseconds: 0)
            }
        }
    }

    private func names(_ keyring: Keyring) throws -> Set<String> { Set(try keyring.groups.list().map(\.name.name)) }

    @Test("a new one is plain, and differs from others by more than case", arguments: cases)
    func new(name: String, code: KeyringError.Code?) throws {
        let home = try KeyringHome()
        let keyring = home.keyring
        let (group, team) = (try AccessGroup(name), try AccessGroup("team"))
        try store("Büro eins", in: keyring)
        try keyring.groups.create(team)
        let doors: [() throws -> Void] = [
            { try keyring.groups.rename(team, to: group) },
            {
                try keyring.groups.create(group)
                _ = try keyring.groups.remove(group)
            },
        ]
        for door in doors {
            #expect(failure(of: KeyringError.self, door)?.code == code)
            if code == nil, try names(keyring).contains(name) { try keyring.groups.rename(group, to: team) }
        }
        #expect(try names(keyring) == ["default", "team", "Büro eins"])
    }

    @Test("one that is stored stays as it is, and comes back from its owner's backup; nobody else takes it in")
    func stored() throws {
        let (home, other) = (try KeyringHome(), try KeyringHome())
        try store("..", "a/b c", "Default", in: home.keyring)
        let ada = try Account.contoso("ada")
        try home.keyring.store(.refresh(ada), "token", for: ada, in: [try AccessGroup("..")])
        let keys = BundleKeys()
        let bundle = try home.folder.bundle(try home.keyring.bundle(for: keys.seal))
        let refused = failure(of: KeyringError.self) {
            _ = try other.keyring.bundles.import(bundle, with: keys.opener)
        }
        #expect(refused?.message.hasPrefix("the bundle's group '..' cannot be made here") == true)
        #expect(try names(other.keyring) == ["default"])
        let backup = try home.keyring.bundles.backUp()
        let place = KeyringLocation(vault: home.folder.path + "/second", state: home.folder.path + "/state2")
        let restored = try Keyring.restore(
            try BundleFile(path: backup.path), with: .identities(secret(home.recoveryKey)), at: place,
            slot: .keyFile(keyFile(3)), clock: .standing(at: noon))
        #expect(try names(restored.keyring) == ["default", "..", "a/b c", "Default"])
        #expect(try restored.keyring.accounts.list(in: [try AccessGroup("..")]).map(\.account.id) == [ada.id])
    }

    @Test(
        "in a sync one gets a plain name on every machine, and of two that differ in case each machine renames the same one"
    )
    func synchronised() throws {
        let home = try SyncHome("one", "two")
        try store("a/b c", "..", in: try home["one"].keyring)
        try home["one"].keyring.groups.create(try AccessGroup("work"))
        try home["two"].keyring.groups.create(try AccessGroup("Work"))
        for (machine, group) in [("one", "a/b c"), ("one", ".."), ("one", "work"), ("two", "Work")] {
            try home[machine].signIn(try .contoso("ada"), token: "t", in: try AccessGroup(group))
        }
        try home.settle()
        let found = try home.machines.map { try names($0.keyring) }
        #expect(found[0] == found[1] && found[0].isSuperset(of: ["default", "a-b-c", "group"]), "\(found)")
        #expect(found[0].count == 5 && Set(found[0].map { $0.lowercased() }).count == 5, "\(found)")
    }
}
