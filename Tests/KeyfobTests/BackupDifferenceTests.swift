import Foundation
import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("What changed between backups, in words")
struct BackupDifferenceTests {
    @Test("each thing that a person would name is named once, in both directions, and no token is")
    func words() throws {
        let home = try KeyringHome()
        let (ada, bob, eve) = (
            try Account.contoso("ada", label: "boss"), try Account.contoso("bob"), try Account.contoso("eve")
        )
        let old = try AccessGroup("old")
        try home.keyring.groups.create(old)
        for account in [ada, bob] { try home.keyring.store(.refresh(account), "token of \(account.id)", for: account) }
        try home.keyring.store(.access(ada), "access", for: ada)
        let opener = BundleOpener.identities(secret(home.recoveryKey))
        func contents(_ name: String) throws -> BackupContents {
            let path = home.folder.path + "/" + name
            if !FileManager.default.fileExists(atPath: path) { _ = try home.keyring.bundles.backUp(to: path) }
            return try Keyring.Bundles.contents(of: try BundleFile(path: path), with: opener)
        }
        let before = try contents("before.age")
        #expect(before.source?.isOwners == true)
        #expect(try before.changes(to: home.keyring.bundles.contents()).isEmpty)
        let later = try home.opened(at: noon.advanced(by: 60))
        // A refresh of an access token is nothing.
        try later.store(.access(ada), "another", for: ada)
        #expect(try before.changes(to: later.bundles.contents()).isEmpty)
        _ = try later.groups.remove(old)
        try later.groups.create(AccessGroup("new"))
        try later.accounts.setLabel("chief", of: ada.id, in: .default)
        try later.store(.refresh(bob), "newer token of bob", for: bob)
        try later.store(.refresh(eve), "token of eve", for: eve)
        try later.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        let changes = try before.changes(to: later.bundles.contents())
        func has(_ outcome: BackupContents.Change.Outcome, _ kind: BackupContents.Change.Kind, _ part: String) -> Bool {
            changes.count { $0.outcome == outcome && $0.kind == kind && $0.text.contains(part) } == 1
        }
        #expect(changes.count == 7, "\(changes)")
        #expect(has(.removed, .group, "'old'") && has(.added, .group, "'new'"))
        #expect(has(.changed, .label, "'boss' before, 'chief' after"))
        #expect(has(.changed, .signIn, "another token"))
        #expect(has(.added, .account, "eve") && has(.added, .signIn, "eve"))
        #expect(has(.added, .decision, "tool gh is bound to"))
        #expect(!"\(changes)".contains("token of"))
        let back = try contents("after.age").changes(to: before)
        #expect(back.count == 7 && back.count { $0.outcome == .removed } == 4, "\(back)")
    }
}
