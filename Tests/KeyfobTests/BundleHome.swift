import Foundation
import Keyfob
import KeyfobAge
import KeyfobAgeHybrid
import KeyfobModel
import KeyfobRecords
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

/// What opens the bundles of tests; published and worth nothing.
struct BundleKeys: Sendable {
    let recipient: String
    private let text: [UInt8]

    init() {
        let identity = AgeIdentity.generate()
        recipient = identity.recipient.text
        text = contents(of: identity.text())
    }

    /// The recovery key of a keyring.
    init(_ home: KeyringHome) throws {
        recipient = try #require(try home.keyring.slots.list().first(where: \.isRecoveryKey)?.recipient)
        text = home.recoveryKey
    }

    var seal: BundleSeal { .recipients([recipient]) }
    var opener: BundleOpener { .identities(identity) }
    var identity: SecretBytes { secret(text) }
    func key() throws -> BundleKey {
        .identities(try text.withBytes { try AgeIdentityFile(parsing: $0) })
    }
}

/// The lines of a bundle that are records, each with its secret: what two bundles are compared by.
func records(_ bundle: [UInt8], _ keys: BundleKeys) throws -> [ItemPlace: BundleContents.Entry] {
    let key = try keys.key()
    var contents: [ItemPlace: BundleContents.Entry] = [:]
    func source() -> () -> [UInt8] {
        var isRead = false
        return {
            defer { isRead = true }
            return isRead ? [] : bundle
        }
    }
    let verified = try BundleReader.verify(key, for: Set(BundlePurpose.allCases), from: source())
    try BundleReader.read(verified, key, from: source()) { record, secret in
        let text: String?
        switch consume secret {
        case .some(let secret): text = KeyfobTestSupport.text(of: secret)
        case nil: text = nil
        }
        contents[record.place] = BundleContents.Entry(record: record, secret: text)
    }
    return contents
}

enum BundleContents {
    struct Entry: Equatable {
        var record: ItemRecord
        var secret: String?
    }
}

extension KeyringHome {
    /// A vault with something of every kind in two groups.
    func fill() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        let (ada, bob) = (try Account.contoso("ada", label: "boss"), try Account.contoso("bob"))
        try keyring.store(.refresh(ada), "refresh of ada", for: ada)
        try keyring.store(.access(ada), "access of ada", for: ada)
        try keyring.store(
            Credential(kind: .idToken, account: ada.id, clientID: "mailer", realm: "contoso"), "id of ada", for: ada)
        var family = Credential.refresh(bob, client: "calendar")
        family.familyID = "1"
        family.grant = Grant(rotates: false)
        family.additionalFields = AdditionalFields([.init(name: "x", json: "[1.50]")])
        try keyring.store(family, "refresh of \"bob\"\n", for: bob, in: [work])
        try keyring.accounts.setLabel("chief", of: ada.id, in: .default)
        try keyring.accounts.setLabel(nil, of: ada.id, in: .default)
        try keyring.accounts.setDefault(ada.id, in: .default)
        try keyring.bindings.set(.directory("/srv/project"), to: .account(bob.id), in: work)
        let cache = """
            {"Account": {}, "AppMetadata": {"appmetadata-login.microsoftonline.com-mailer": {"client_id": "mailer",
            "environment": "login.microsoftonline.com", "family_id": "1"}}, "Strange": {"a": {"b": [1.0, null]}}}
            """
        _ = try keyring.caches.importMSAL(secret(cache))
        let eve = try Account.contoso("eve")
        try keyring.store(.refresh(eve), "refresh of eve", for: eve)
        _ = try keyring.accounts.removeForGood(eve.id, from: .default)
    }

    /// Everything that decides whether the vault is as it was: the database, or the items of the Secret Service.
    func state() throws -> [UInt8] {
        switch keyring.storage {
        case .embedded: try folder.read("vault/keyring.db")
        case .secretService: try items().dump()
        }
    }
}

extension Keyring {
    func bundle(
        _ content: BundleContent = BundleContent(), for seal: borrowing BundleSeal, isArmored: Bool = false
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try bundles.export(content, for: seal, isArmored: isArmored) { piece in
            bytes += [UInt8](piece)
        }
        return bytes
    }
}

extension ScratchFolder {
    /// A bundle with these bytes, to be read.
    func bundle(_ bytes: [UInt8], name: String = "bundle.age") throws -> BundleFile {
        try write(name, bytes)
        return try BundleFile(path: path + "/" + name)
    }
}

extension BundleKeys {
    /// A bundle with these records.
    func crafted(
        _ entries: [BundleContents.Entry], purpose: BundlePurpose = .export, groups: [AccessGroup] = [.default],
        vault: [UInt8] = [UInt8](repeating: 7, count: 16)
    ) throws -> [UInt8] {
        let counts = entries.reduce(into: [:]) { $0[$1.record.kind, default: 0] += 1 }
        let manifest = BundleManifest(
            purpose: purpose, vault: vault, device: 9, created: noon.seconds * 1_000, groups: groups, counts: counts)
        let owner = try #require(AgeRecipient(parsing: recipient))
        var bytes: [UInt8] = []
        var writer = try BundleWriter(manifest, recipients: [owner])
        let inOrder = entries.sorted { left, right in
            let (mine, theirs) = (ItemMark(left.record.key), ItemMark(right.record.key))
            return left.record.group == right.record.group ? mine < theirs : left.record.group < right.record.group
        }
        for entry in inOrder {
            if let text = entry.secret {
                try writer.write(entry.record, secret: secret(text)) { bytes += [UInt8]($0) }
            } else {
                try writer.write(entry.record) { bytes += [UInt8]($0) }
            }
        }
        _ = try writer.finish { bytes += [UInt8]($0) }
        return bytes
    }
}

extension BundleKeys {
    /// The age file with this text.
    func sealed(_ text: String) throws -> [UInt8] {
        let owner = try #require(AgeRecipient(parsing: recipient))
        return try Array(text.utf8).withBytes { try Age.seal($0, to: [owner]) }
    }

    /// The text of an age file.
    func opened(_ bundle: [UInt8]) throws -> String {
        let identities = try text.withBytes { try AgeIdentityFile(parsing: $0) }
        let message = try bundle.withBytes { try Age.open($0, withAnyOf: identities) }
        return KeyfobTestSupport.text(of: message)
    }

}
