import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("What decides in a bundle that somebody hands over")
struct BundleAuthorityTests {
    private let home: KeyringHome
    private let ada: Account
    private let keys = BundleKeys()

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.keyring.store(.access(ada), "ada's", for: ada)
    }

    /// A bundle of theirs with an account, and with what decides that it is used.
    private func bundle() throws -> BundleFile {
        let theirs = try KeyringHome()
        let eve = try Account.contoso("eve")
        try theirs.keyring.store(.access(eve), "eve's", for: eve)
        try theirs.keyring.bindings.set(.directory("/"), to: .account(eve.id), in: .default)
        try theirs.keyring.accounts.setDefault(eve.id, in: .default)
        let content = BundleContent(includesAccessTokens: true)
        return try home.folder.bundle(try theirs.keyring.bundle(content, for: keys.seal))
    }

    private func token() throws -> String {
        try home.keyring.tokenText(TokenRequest(context: RequestContext(directory: "/home/ada")))
    }

    @Test("it is listed and left out, and comes along when it is named", arguments: [Keyring.ImportMode.merge])
    func leftOut(mode: Keyring.ImportMode) throws {
        let plan = try home.keyring.bundles.planImport(try bundle(), with: keys.opener, mode: mode)
        #expect(plan.leftOutDecisions.map(\.outcome) == ["refused", "refused"])
        #expect(
            try home.keyring.bundles.import(try bundle(), with: keys.opener, mode: mode).lines.count == plan.lines.count
        )
        #expect(try home.keyring.bindings.list().isEmpty)
        #expect(try home.keyring.accounts.list().allSatisfy { !$0.isDefault })
        let defaults = try home.keyring.bundles.import(try bundle(), with: keys.opener, mode: mode, taking: .defaults)
        #expect(defaults.leftOutDecisions.count == 1)
        #expect(try home.keyring.accounts.list().first { $0.isDefault }?.account.username == "eve@contoso.example")
        #expect(try home.keyring.bindings.list().isEmpty)
        _ = try home.keyring.bundles.import(try bundle(), with: keys.opener, mode: mode, taking: .bindings)
        #expect(try token() == "eve's")
    }

    @Test("it takes none away either, in the place of a group or as a deletion")
    func removal() throws {
        try home.keyring.bindings.set(.directory("/home"), to: .account(ada.id), in: .default)
        let deletion = ItemRecord(
            group: .default, content: .tombstone(.setting("binding:directory:/home:login.microsoftonline.com")),
            version: ItemVersion(stamp: Stamp(value: .max >> 1), device: 1))
        let crafted = try keys.crafted([.init(record: deletion)])
        for mode in [Keyring.ImportMode.merge, .replace] {
            _ = try home.keyring.bundles.import(try home.folder.bundle(crafted), with: keys.opener, mode: mode)
            #expect(try home.keyring.bindings.list().map(\.writer) == [.owner])
        }
    }
}
