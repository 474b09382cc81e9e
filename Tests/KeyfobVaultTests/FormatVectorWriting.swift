import Foundation
import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

/// Writes the vectors anew.
///
/// They are published: this is for a new version of the format only.
@Suite("Writing the vectors", .enabled(if: ProcessInfo.processInfo.environment["KEYFOB_WRITE_VECTORS"] != nil))
struct FormatVectorWriting {
    typealias Hex = FormatVectors.Hex

    private let vaultID = [UInt8](0x10..<0x20)
    private let groupID = [UInt8](0x20..<0x30)
    private let vaultKey = [UInt8](0x40..<0x60)
    private let groupKey = [UInt8](0x60..<0x80)
    private let fileKey = [UInt8](0x80..<0xA0)

    private func stored(_ box: CommittingAEAD.Box) -> Hex { Hex(box.nonce + box.commitment + box.ciphertext) }

    private func keys(epoch: UInt32 = 3) throws -> GroupKeys {
        GroupKeys(
            vault: try #require(VaultID(vaultID)), group: try #require(GroupID(groupID)), epoch: epoch,
            groupKey: secret(groupKey))
    }

    @Test("header.json")
    func header() throws {
        var vault = try UnlockedVault.create(slot: .keyFile(secret(fileKey)), now: noon)
        _ = try vault.addSlot(.recipient(AgeIdentitySample.one().recipient), now: noon)
        let work = try vault.createGroup(AccessGroup("work"))
        _ = try vault.grant(work.keys.group, to: .keyFile(keyFile(2)), now: noon)
        let (header, id, sequence) = (try vault.encodedHeader(), vault.header.vault.bytes, vault.sequence)
        func vector(_ name: String, _ bytes: [UInt8], _ key: [UInt8], _ expect: FormatVectors.Outcome)
            -> FormatVectors.Header
        {
            FormatVectors.Header(name: name, keyFile: Hex(key), header: Hex(bytes), expect: expect)
        }
        var opened = vector("the key file of the whole vault", header, fileKey, .opened)
        (opened.vault, opened.sequence, opened.groups) = (Hex(id), sequence, ["default", "work"])
        var granted = vector("the key file of the group work", header, [UInt8](repeating: 2, count: 32), .opened)
        (granted.vault, granted.sequence, granted.groups) = (Hex(id), sequence, ["work"])
        try FormatVectors.write(
            "header",
            "A header with two slots (key file, age recipient) and two groups, one of them with a slot of its own.",
            [
                opened, granted, vector("another key file", header, [UInt8](repeating: 9, count: 32), .wrongKey),
                vector("a flipped bit", header.flipping(1, at: 50), fileKey, .corrupted),
                vector("cut off", Array(header.dropLast()), fileKey, .corrupted),
                vector("another magic", header.flipping(1, at: 0), fileKey, .corrupted),
                vector(
                    "another sequence, with the checksum recomputed: the MAC differs",
                    header.replacing(at: 28, with: [99]).withChecksumRecomputed(), fileKey, .corrupted),
                vector(
                    "another sequence, for the key file of the group work: the signature differs",
                    header.replacing(at: 28, with: [99]).withChecksumRecomputed(), [UInt8](repeating: 2, count: 32),
                    .corrupted),
                vector(
                    "version 4", header.replacing(at: 8, with: [4, 0]).withChecksumRecomputed(), fileKey, .unsupported),
                vector(
                    "version 2", header.replacing(at: 8, with: [2, 0]).withChecksumRecomputed(), fileKey, .unsupported),
                vector(
                    "suite 2", header.replacing(at: 10, with: [2, 0]).withChecksumRecomputed(), fileKey, .unsupported),
                vector(
                    "version 4 by damage: the checksum differs", header.replacing(at: 8, with: [4, 0]), fileKey,
                    .corrupted),
            ])
    }

    @Test("slot.json")
    func slot() throws {
        let vault = try #require(VaultID(vaultID))
        func bytes(_ new: borrowing NewSlot) throws -> [UInt8] {
            var writer = ByteWriter()
            try KeySlot.seal(secret(vaultKey), for: new, vault: vault, now: noon.seconds).write(to: &writer)
            return writer.bytes
        }
        let (file, recipient) = (
            try bytes(.keyFile(secret(fileKey))), try bytes(.recipient(AgeIdentitySample.one().recipient))
        )
        let passphrase = try bytes(.passphrase(NewPassphrase(secret("correct horse"), cost: .floor)))
        let hybrid = try bytes(.recoveryKey(AgeIdentitySample.hybrid()))
        let hybridIdentity = text(of: AgeIdentitySample.hybrid().text())
        let kept = try bytes(.secretService(secret(fileKey)))
        let (identity, stranger) = (
            text(of: AgeIdentitySample.one().text()), text(of: AgeIdentitySample.another().text())
        )
        let (id, key) = (Hex(vaultID), Hex(vaultKey))
        typealias Slot = FormatVectors.Slot
        try FormatVectors.write(
            "slot", "Slots of each kind, as they lie in a header, and the key in them.",
            [
                Slot(name: "key file", vault: id, slot: Hex(file), keyFile: Hex(fileKey), expect: .opened, key: key),
                Slot(name: "another key file", vault: id, slot: Hex(file), keyFile: key, expect: .wrongKey),
                Slot(
                    name: "another vault's", vault: Hex(groupID), slot: Hex(file), keyFile: Hex(fileKey),
                    expect: .wrongKey),
                Slot(
                    name: "a flipped bit of the ciphertext", vault: id, slot: Hex(file.flipping(1, at: file.count - 1)),
                    keyFile: Hex(fileKey), expect: .corrupted),
                Slot(
                    name: "cut off", vault: id, slot: Hex(Array(file.dropLast())), keyFile: Hex(fileKey),
                    expect: .corrupted),
                Slot(
                    name: "an unknown kind", vault: id, slot: Hex([9] + file.dropFirst()), keyFile: Hex(fileKey),
                    expect: .corrupted),
                Slot(
                    name: "passphrase", vault: id, slot: Hex(passphrase), passphrase: "correct horse", expect: .opened,
                    key: key),
                Slot(
                    name: "another passphrase", vault: id, slot: Hex(passphrase), passphrase: "correct hors",
                    expect: .wrongKey),
                Slot(
                    name: "age recipient", vault: id, slot: Hex(recipient), identity: identity, expect: .opened,
                    key: key),
                Slot(
                    name: "another age identity", vault: id, slot: Hex(recipient), identity: stranger, expect: .wrongKey
                ),
                Slot(
                    name: "recovery key of X-Wing", vault: id, slot: Hex(hybrid), identity: hybridIdentity,
                    expect: .opened, key: key),
                Slot(
                    name: "another identity for a recovery key of X-Wing", vault: id, slot: Hex(hybrid),
                    identity: identity, expect: .wrongKey),
                Slot(
                    name: "a recovery key of X-Wing, taken for one of X25519", vault: id,
                    slot: Hex([3] + hybrid.dropFirst()), identity: hybridIdentity, expect: .corrupted),
                Slot(
                    name: "Secret Service", vault: id, slot: Hex(kept), secretService: Hex(fileKey), expect: .opened,
                    key: key),
                Slot(
                    name: "another item of the Secret Service", vault: id, slot: Hex(kept), secretService: key,
                    expect: .wrongKey),
                Slot(
                    name: "an item of the Secret Service with a byte too many", vault: id, slot: Hex(kept),
                    secretService: Hex(fileKey + [0]), expect: .wrongKey),
                Slot(
                    name: "another vault's slot for the Secret Service", vault: Hex(groupID), slot: Hex(kept),
                    secretService: Hex(fileKey), expect: .wrongKey),
                Slot(
                    name: "the slot of a key file, taken for one of the Secret Service", vault: id,
                    slot: Hex([4] + file.dropFirst()), secretService: Hex(fileKey), expect: .wrongKey),
                Slot(
                    name: "a flipped bit in the ciphertext of a slot for the Secret Service", vault: id,
                    slot: Hex(kept.flipping(1, at: kept.count - 1)), secretService: Hex(fileKey), expect: .corrupted),
            ])
    }

    @Test("group-key.json")
    func groupKeys() throws {
        let keys = try keys()
        let context = SealingContext.groupKey(keys.vault, keys.group, epoch: 3)
        let wrapped = VaultKeys(vaultKey: secret(vaultKey)).wrap(secret(groupKey), context: context)
        let name = keys.seal(name: try AccessGroup("Büro"))
        func vector(
            _ name: String, _ key: [UInt8], epoch: UInt32 = 3, _ sealedName: CommittingAEAD.Box,
            _ expect: FormatVectors.Outcome
        ) -> FormatVectors.GroupKey {
            FormatVectors.GroupKey(
                name: name, vaultKey: Hex(key), vault: Hex(vaultID), group: Hex(groupID), epoch: epoch,
                wrappedKey: stored(wrapped), sealedName: stored(sealedName), expect: expect,
                groupKey: expect == .opened ? Hex(groupKey) : nil, groupName: expect == .opened ? "Büro" : nil)
        }
        try FormatVectors.write(
            "group-key", "A group's key under the vault's wrap key, and its name under its own name key.",
            [
                vector("right", vaultKey, name, .opened), vector("another vault key", fileKey, name, .corrupted),
                vector("another epoch", vaultKey, epoch: 4, name, .corrupted),
            ])
    }

    @Test("record.json and manifest.json")
    func records() throws {
        let keys = try keys()
        let ada = try #require(AccountID(homeAccountID: "uid.utid", environment: "login.microsoftonline.com"))
        let account = Account(id: ada, username: "ada@contoso.example", displayName: "Ada", label: "work")
        let credential = Credential(
            kind: .accessToken, account: ada, clientID: "client", realm: "contoso", scopes: ["mail.read", "openid"],
            cachedAt: noon, expiresOn: noon.advanced(by: 3_600),
            additionalFields: AdditionalFields([.init(name: "x", json: "1.50")]))
        func header(_ kind: RecordHeader.Kind, _ index: RecordIndex) throws -> RecordHeader {
            RecordHeader(
                vault: keys.vault, group: keys.group, epoch: 3, record: try #require(RecordID([UInt8](0x30..<0x40))),
                kind: kind, stamp: Stamp(milliseconds: 1_700_000_000_123, after: nil), device: 0x0123_4567_89AB_CDEF,
                index: index)
        }
        let accountHeader = try header(
            .account,
            RecordIndex(
                account: keys.blind(ada).value, username: keys.blind(username: account.username).value,
                label: keys.blind(label: "work").value))
        let tokenHeader = try header(
            .accessToken,
            RecordIndex(
                account: keys.blind(ada).value,
                credential: keys.blind(ada, .accessToken, clientID: "client", realm: "contoso").value))
        let (accountBody, tokenBody) = (AccountBody.encode(account), CredentialBody.encode(credential))
        let (clientID, environment, deleted) = ("client", "login.microsoftonline.com", ItemKey.setting("a"))
        let clientHeader = try header(
            .clientSecret, RecordIndex(credential: keys.blind(secretOf: clientID, environment: environment).value))
        let goneHeader = try header(.tombstone, RecordIndex(credential: keys.blind(tombstone: deleted).value))
        let clientBody = ItemBody.encode(.clientSecret(clientID: clientID, environment: environment)).body
        let goneBody = ItemBody.encode(.tombstone(deleted)).body
        let sealedClient = try keys.seal(clientHeader, attributes: clientBody, secret: secret("a client's secret"))
        let sealedTombstone = try keys.seal(goneHeader, attributes: goneBody)
        let entry = JournalEntry(
            id: try #require(JournalID([UInt8](0x70..<0x80))), command: "account remove", time: noon)
        let journalBody = JournalBody.encode(
            try JournalItem(
                entry, .accessToken,
                former: JournalItem.Former(body: tokenBody, flags: 0, secretCount: "a token".utf8.count), left: nil))
        let sealedJournal = try keys.seal(
            try header(.journal, RecordIndex()), attributes: journalBody, secret: secret("a token"))
        let sealedAccount = try keys.seal(accountHeader, attributes: accountBody)
        let sealedToken = try keys.seal(tokenHeader, attributes: tokenBody, secret: secret("a token"))
        func vector(_ name: String, _ sealed: SealedRecord, key: [UInt8], flags: UInt16 = 0) -> FormatVectors.Record {
            let header = sealed.header
            return FormatVectors.Record(
                name: name, groupKey: Hex(key), vault: Hex(vaultID), group: Hex(groupID), epoch: 3,
                record: Hex(header.record.bytes), kind: header.kind.rawValue, flags: flags, stamp: header.stamp.value,
                device: header.device, accountIndex: header.index.account.map { Hex($0.bytes) },
                credentialIndex: header.index.credential.map { Hex($0.bytes) },
                usernameIndex: header.index.username.map { Hex($0.bytes) },
                labelIndex: header.index.label.map { Hex($0.bytes) }, attributes: stored(sealed.attributes),
                secret: sealed.secret.map(stored), expect: .corrupted)
        }
        func opened(_ name: String, _ sealed: SealedRecord, _ body: FieldList, _ text: String?) -> FormatVectors.Record
        {
            let plain = vector(name, sealed, key: groupKey)
            return FormatVectors.Record(
                name: name, groupKey: plain.groupKey, vault: plain.vault, group: plain.group, epoch: 3,
                record: plain.record,
                kind: plain.kind, flags: 0, stamp: plain.stamp, device: plain.device, accountIndex: plain.accountIndex,
                credentialIndex: plain.credentialIndex, usernameIndex: plain.usernameIndex,
                labelIndex: plain.labelIndex,
                attributes: plain.attributes, secret: plain.secret, expect: .opened, body: Hex(body.encoded()),
                secretText: text, manifestHash: Hex(keys.element(sealed).hash))
        }
        var swapped = sealedToken
        swapped.secret = sealedAccount.attributes
        try FormatVectors.write(
            "record", "Records as they lie in the tables records and secrets.",
            [
                opened("an account", sealedAccount, accountBody, nil),
                opened("an access token", sealedToken, tokenBody, "a token"),
                opened("the secret of a client", sealedClient, clientBody, "a client's secret"),
                opened("the tombstone of a setting", sealedTombstone, goneBody, nil),
                opened("an undo record of an access token", sealedJournal, journalBody, "a token"),
                vector("another group key", sealedToken, key: fileKey),
                vector("another flag", sealedToken, key: groupKey, flags: 1),
                vector("the secret of another record", swapped, key: groupKey),
            ])

        var manifest = GroupManifest(sequence: 41)
        manifest.insert(keys.element(sealedAccount))
        manifest.insert(keys.element(sealedToken))
        manifest.insert(keys.element(sealedClient))
        manifest.insert(keys.element(sealedTombstone))
        manifest.insert(keys.element(sealedJournal))
        let records = [sealedAccount, sealedToken, sealedClient, sealedTombstone, sealedJournal]
        let few = records.enumerated().flatMap { row, record in
            record.header.lookupKeys.map { key in
                LookupEntry(
                    key: key, kind: record.header.kind, row: Int64(row + 1),
                    digest: keys.element(record).lookupDigest)
            }
        }
        let many = try (0..<300).map { number in
            let key = try #require(BlindValue(BLAKE2b.hash(Array("entry \(number / 2)".utf8), count: 16)))
            return LookupEntry(
                key: key, kind: .accessToken, row: Int64(number + 1), digest: LookupDigest(halves: (UInt64(number), 1)))
        }
        func tree(_ name: String, _ entries: [LookupEntry]) -> FormatVectors.Tree {
            var nodes: [FormatVectors.Tree.Node] = []
            let top = LookupSubtree(entries.sorted()[...], at: .root, keys) { position, bytes in
                nodes.append(FormatVectors.Tree.Node(position: position.number, bytes: Hex(bytes)))
            }
            return FormatVectors.Tree(
                name: name, groupKey: Hex(groupKey),
                entries: entries.map { entry in
                    var bytes: [UInt8] = []
                    entry.append(to: &bytes)
                    return Hex(bytes)
                }, nodes: nodes, root: Hex(top?.digest.bytes ?? [UInt8](repeating: 0, count: 16)))
        }
        try FormatVectors.write(
            "tree",
            "Lookup trees, of group and epoch as in record.json: of its records that open in rows 1 to 5, and others.",
            [tree("the records of record.json", few), tree("300 entries of 150 keys", many), tree("nothing", [])])
        manifest.root = LookupSubtree(few.sorted()[...], at: .root, keys) { _, _ in }?.digest
        manifest.advance()
        let sealed = stored(keys.seal(manifest))
        func manifestVector(
            _ name: String, _ key: [UInt8], epoch: UInt32 = 3, _ expect: FormatVectors.Outcome
        ) -> FormatVectors.Manifest {
            FormatVectors.Manifest(
                name: name, groupKey: Hex(key), vault: Hex(vaultID), group: Hex(groupID), epoch: epoch, sealed: sealed,
                expect: expect, manifest: expect == .opened ? Hex(manifest.encoded()) : nil)
        }
        try FormatVectors.write(
            "manifest", "The manifest of the records that open in record.json.",
            [
                manifestVector("right", groupKey, .opened), manifestVector("another group key", fileKey, .corrupted),
                manifestVector("another epoch", groupKey, epoch: 2, .corrupted),
            ])
    }

    @Test("decision.json")
    func decisions() throws {
        let owner = VaultKeys(vaultKey: secret(vaultKey))
        let (vault, group) = (try #require(VaultID(vaultID)), try #require(GroupID(groupID)))
        let keys = GroupKeys(vault: vault, group: group, epoch: 1, groupKey: secret(groupKey), owner: owner)
        let (name, value) = ("default account", "uid.utid@login.microsoftonline.com")
        let plain = SettingBody.encode(name, value)
        let signed = SettingBody.signed(plain, .setting(name: name, value: value), keys).encoded()
        func vector(
            _ what: String, key: [UInt8]? = nil, vault: [UInt8]? = nil, group: [UInt8]? = nil, value: String = value,
            _ body: [UInt8], _ isOwners: Bool = false
        ) -> FormatVectors.Decision {
            FormatVectors.Decision(
                name: what, vaultKey: Hex(key ?? vaultKey), vault: Hex(vault ?? vaultID), group: Hex(group ?? groupID),
                setting: name, value: value, body: Hex(body), isOwners: isOwners)
        }
        var other = SettingBody.encode(name, "eve")
        let mark = try #require(try FieldList(encoded: signed[...]).bytes(3))
        other.append(3, Array(mark))
        try FormatVectors.write(
            "decision", "Bodies of a setting, and whether the holder of a vault key knows them as the owner's.",
            [
                vector("the owner's", signed, true), vector("without a MAC", plain.encoded()),
                vector("a flipped bit of the MAC", signed.flipping(1, at: signed.count - 1)),
                vector("another value under its MAC", value: "eve", other.encoded()),
                vector("in another group", group: vaultID, signed), vector("in another vault", vault: groupID, signed),
                vector("under another vault key", key: fileKey, signed),
            ])
    }

    @Test("blind-index.json")
    func blindIndex() throws {
        let keys = try keys()
        let ada = try #require(AccountID(homeAccountID: "UID.utid", environment: "Login.Windows.net"))
        func vector(_ field: String, _ parts: [String], _ value: BlindValue) -> FormatVectors.BlindIndex {
            FormatVectors.BlindIndex(
                name: "\(field): \(parts.joined(separator: ", "))", groupKey: Hex(groupKey), field: field, parts: parts,
                value: Hex(value.bytes))
        }
        let account = ["UID.utid", "Login.Windows.net"]
        try FormatVectors.write(
            "blind-index",
            "Values of the blind index. The parts are as a caller gives them, before they are made canonical.",
            [
                vector("account", account, keys.blind(ada).value),
                vector(
                    "credential", account + ["access_token", "client", "Contoso"],
                    keys.blind(ada, .accessToken, clientID: "client", realm: "Contoso").value),
                vector(
                    "credential", account + ["refresh_token", "client", ""],
                    keys.blind(ada, .refreshToken, clientID: "client", realm: "").value),
                vector("username", ["Ada@Contoso.example"], keys.blind(username: "Ada@Contoso.example").value),
                vector("label", ["Büro A"], keys.blind(label: "Büro A").value),
                vector(
                    "client", ["client", "sts.windows.net"],
                    keys.blind(clientID: "client", environment: "sts.windows.net").value),
                vector("setting", ["default account"], keys.blind(setting: "default account").value),
                vector(
                    "clientSecret", ["client", "sts.windows.net"],
                    keys.blind(secretOf: "client", environment: "sts.windows.net").value),
                vector("foreign", ["Section", "key"], keys.blind(foreignIn: "Section", key: "key").value),
                vector(
                    "tombstone", ["setting", "default account"],
                    keys.blind(tombstone: .setting("default account")).value),
            ])
    }

    @Test("usage.json")
    func usage() throws {
        let keys = try keys()
        let parts = ["place", "git.example/team/app"]
        let records = [
            UsageRecord(
                time: 1_700_000_000, account: BlindValue(halves: (5, 6)), place: keys.usageTag(parts),
                owner: 0x0123_4567_89AB_CDEF, host: 7, tool: 1),
            UsageRecord(time: -1, account: BlindValue(halves: (1, 0)), isUnconfirmed: true),
        ]
        let sealed = keys.seal(records[...], first: 1_000)
        func vector(
            _ name: String, _ key: [UInt8], epoch: UInt32 = 3, first: UInt64 = 1_000, _ bytes: [UInt8],
            _ expect: FormatVectors.Outcome
        ) -> FormatVectors.Usage {
            FormatVectors.Usage(
                name: name, groupKey: Hex(key), vault: Hex(vaultID), group: Hex(groupID), epoch: epoch, first: first,
                sealed: Hex(bytes), expect: expect)
        }
        var opened = vector("two events, and a tag", groupKey, sealed, .opened)
        opened.events = Hex(UsageSegment.encode(records[...]))
        var tag = ByteWriter()
        tag.write(keys.usageTag(parts))
        (opened.tagParts, opened.tag) = (parts, Hex(tag.bytes))
        let context = SealingContext.usage(keys.vault, keys.group, epoch: 3, first: 1_000)
        let box = keys.withUsageKey { key in
            CommittingAEAD.seal(UsageSegment.encode(records[...]).flipping(2, at: 56), key: key, context: context)
        }
        try FormatVectors.write(
            "usage", "Blocks of the history as they lie in usage.db, and a tag as its eight bytes.",
            [
                opened, vector("another group key", fileKey, sealed, .corrupted),
                vector("another epoch", groupKey, epoch: 2, sealed, .corrupted),
                vector("another number", groupKey, first: 1_001, sealed, .corrupted),
                vector("a flipped bit", groupKey, sealed.flipping(1, at: sealed.count - 1), .corrupted),
                vector("a flag that is not known", groupKey, stored(box).bytes, .corrupted),
            ])
    }
}
