import KeyfobAge
import KeyfobAgeHybrid
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

/// Bytes that other implementations, and all later versions of this one, must treat in the same way.
@Suite("The published vectors of the vault's format")
struct FormatVectorTests {
    /// What became of bytes, in the words of the vectors.
    private func outcome(_ body: () throws -> Void) -> FormatVectors.Outcome? {
        do {
            try body()
            return .opened
        } catch let error as VaultError {
            switch error {
            case .wrongKey: return .wrongKey
            case .unsupportedVersion, .unsupportedSuite: return .unsupported
            case .corrupted, .notAVault: return .corrupted
            default: return nil
            }
        } catch {
            return .corrupted
        }
    }

    private func box(_ bytes: FormatVectors.Hex) throws -> CommittingAEAD.Box {
        var reader = ByteReader(bytes.bytes)
        return try CommittingAEAD.Box(from: &reader, messageCount: bytes.bytes.count - 24 - 32 - 16)
    }

    private func keys(
        _ groupKey: FormatVectors.Hex, _ vault: FormatVectors.Hex, _ group: FormatVectors.Hex, epoch: UInt32
    ) throws -> GroupKeys {
        GroupKeys(
            vault: try #require(VaultID(vault.bytes)), group: try #require(GroupID(group.bytes)), epoch: epoch,
            groupKey: secret(groupKey.bytes))
    }

    @Test("headers")
    func headers() throws {
        for vector in try FormatVectors.read("header", of: FormatVectors.Header.self) {
            let result = outcome {
                let locked = try LockedVault(headerBytes: vector.header.bytes)
                let vault = try locked.unlock(with: .keyFile(secret(vector.keyFile.bytes)))
                let (id, sequence, names) = (vault.header.vault.bytes, vault.sequence, vault.groups.map(\.name.name))
                #expect(id == vector.vault?.bytes && sequence == vector.sequence && names == vector.groups)
            }
            #expect(result == vector.expect, "\(vector.name)")
        }
    }

    @Test("slots")
    func slots() throws {
        for vector in try FormatVectors.read("slot", of: FormatVectors.Slot.self) {
            let vault = try #require(VaultID(vector.vault.bytes))
            let result = outcome {
                var reader = ByteReader(vector.slot.bytes)
                let slot = try KeySlot(from: &reader)
                guard reader.isAtEnd else { throw VaultError.corrupted(.header) }
                let key: SecretBytes
                if let keyFile = vector.keyFile {
                    key = try slot.open(with: .keyFile(secret(keyFile.bytes)), vault: vault)
                } else if let kept = vector.secretService {
                    key = try slot.open(with: .secretService(secret(kept.bytes)), vault: vault)
                } else if let passphrase = vector.passphrase {
                    key = try slot.open(with: .passphrase(secret(passphrase)), vault: vault)
                } else {
                    let file = try Array((vector.identity ?? "").utf8).withBytes { try AgeIdentityFile(parsing: $0) }
                    key = try slot.open(with: .identities(file), vault: vault)
                }
                let opened = contents(of: key)
                #expect(opened == vector.key?.bytes, "\(vector.name)")
            }
            #expect(result == vector.expect, "\(vector.name)")
        }
    }

    @Test("group keys")
    func groupKeys() throws {
        for vector in try FormatVectors.read("group-key", of: FormatVectors.GroupKey.self) {
            let (vault, group) = (try #require(VaultID(vector.vault.bytes)), try #require(GroupID(vector.group.bytes)))
            let result = outcome {
                let vaultKeys = VaultKeys(vaultKey: secret(vector.vaultKey.bytes))
                let context = SealingContext.groupKey(vault, group, epoch: vector.epoch)
                let groupKey = try vaultKeys.unwrap(box(vector.wrappedKey), context: context)
                let opened = contents(of: groupKey)
                #expect(opened == vector.groupKey?.bytes)
                let keys = GroupKeys(vault: vault, group: group, epoch: vector.epoch, groupKey: groupKey)
                let name = try keys.openName(box(vector.sealedName))
                #expect(name.name == vector.groupName)
            }
            #expect(result == vector.expect, "\(vector.name)")
        }
    }

    @Test("records")
    func records() throws {
        for vector in try FormatVectors.read("record", of: FormatVectors.Record.self) {
            let keys = try keys(vector.groupKey, vector.vault, vector.group, epoch: vector.epoch)
            let header = RecordHeader(
                vault: keys.vault, group: keys.group, epoch: vector.epoch,
                record: try #require(RecordID(vector.record.bytes)),
                kind: try #require(RecordHeader.Kind(rawValue: vector.kind)), flags: vector.flags,
                stamp: Stamp(value: vector.stamp), device: vector.device,
                index: RecordIndex(
                    account: vector.accountIndex.flatMap { BlindValue($0.bytes) },
                    credential: vector.credentialIndex.flatMap { BlindValue($0.bytes) },
                    username: vector.usernameIndex.flatMap { BlindValue($0.bytes) },
                    label: vector.labelIndex.flatMap { BlindValue($0.bytes) }))
            let (attributes, sealed) = (try box(vector.attributes), try vector.secret.map(box))
            var opened: (body: [UInt8], text: String?) = ([], nil)
            let result = outcome {
                opened.body = try keys.openAttributes(header, attributes).encoded()
                opened.text = try sealed.map { text(of: try keys.openSecret(header, $0)) }
            }
            #expect(result == vector.expect, "\(vector.name)")
            if result == .opened {
                #expect(opened.body == vector.body?.bytes && opened.text == vector.secretText, "\(vector.name)")
            }
            if let hash = vector.manifestHash {
                #expect(
                    keys.element(SealedRecord(header: header, attributes: attributes, secret: sealed)).hash
                        == hash.bytes)
            }
        }
    }

    @Test("blind index values")
    func blindIndex() throws {
        for vector in try FormatVectors.read("blind-index", of: FormatVectors.BlindIndex.self) {
            let ids = FormatVectors.Hex([UInt8](repeating: 0, count: 16))
            let keys = try keys(vector.groupKey, ids, ids, epoch: 1)
            let parts = vector.parts
            let account = AccountID(homeAccountID: parts[0], environment: parts.count > 1 ? parts[1] : "x")
            let value =
                switch vector.field {
                case "account": keys.blind(try #require(account)).value
                case "credential":
                    keys.blind(
                        try #require(account), try #require(Credential.Kind(rawValue: parts[2])), clientID: parts[3],
                        realm: parts[4]
                    ).value
                case "username": keys.blind(username: parts[0]).value
                case "label": keys.blind(label: parts[0]).value
                case "client": keys.blind(clientID: parts[0], environment: parts[1]).value
                case "clientSecret": keys.blind(secretOf: parts[0], environment: parts[1]).value
                case "foreign": keys.blind(foreignIn: parts[0], key: parts[1]).value
                case "tombstone":
                    keys.blind(
                        tombstone: ItemKey(try #require(ItemKind(rawValue: parts[0])), Array(parts.dropFirst()))
                    ).value
                default: keys.blind(setting: parts[0]).value
                }
            #expect(value.bytes == vector.value.bytes, "\(vector.name)")
        }
    }

    @Test("decisions of the owner, and of others")
    func decisions() throws {
        let vectors: [FormatVectors.Decision] = try FormatVectors.read("decision")
        #expect(Set(vectors.map(\.isOwners)).count == 2)
        for vector in vectors {
            let body = try FieldList(encoded: vector.body.bytes[...])
            let keys = GroupKeys(
                vault: try #require(VaultID(vector.vault.bytes)), group: try #require(GroupID(vector.group.bytes)),
                epoch: 1, groupKey: secret([UInt8](repeating: 1, count: 32)),
                owner: VaultKeys(vaultKey: secret(vector.vaultKey.bytes)))
            let found = try SettingBody.decode(body, keys)
            #expect(found.name == vector.setting && found.value == vector.value, "\(vector.name)")
            #expect(found.writer == (vector.isOwners ? .owner : .group), "\(vector.name)")
            if vector.isOwners {
                let content = ItemContent.setting(name: vector.setting, value: vector.value)
                let written = SettingBody.signed(SettingBody.encode(vector.setting, vector.value), content, keys)
                #expect(written.encoded() == vector.body.bytes, "\(vector.name)")
            }
        }
    }

    @Test("manifests")
    func manifests() throws {
        for vector in try FormatVectors.read("manifest", of: FormatVectors.Manifest.self) {
            let keys = try keys(vector.groupKey, vector.vault, vector.group, epoch: vector.epoch)
            let sealed = try box(vector.sealed)
            let result = outcome {
                let manifest = try keys.openManifest(sealed)
                #expect(manifest.encoded() == vector.manifest?.bytes, "\(vector.name)")
            }
            #expect(result == vector.expect, "\(vector.name)")
        }
    }

    @Test("lookup trees")
    func trees() throws {
        let ids = FormatVectors.Hex([UInt8](repeating: 0, count: 16))
        for vector in try FormatVectors.read("tree", of: FormatVectors.Tree.self) {
            let keys = try keys(vector.groupKey, ids, ids, epoch: 3)
            let entries = try vector.entries.map { hex in
                let entry = LookupEntry(hex.bytes.span, at: 0)
                return try #require(entry)
            }
            var nodes: [UInt64: [UInt8]] = [:]
            let top = LookupSubtree(entries.shuffled().sorted()[...], at: .root, keys) { position, bytes in
                nodes[position.number] = bytes
            }
            let expected = Dictionary(uniqueKeysWithValues: vector.nodes.map { ($0.position, $0.bytes.bytes) })
            #expect(nodes == expected, "\(vector.name)")
            #expect((top?.digest.bytes ?? ids.bytes) == vector.root.bytes, "\(vector.name)")
        }
    }

    @Test("the history")
    func usage() throws {
        for vector in try FormatVectors.read("usage", of: FormatVectors.Usage.self) {
            let keys = try keys(vector.groupKey, vector.vault, vector.group, epoch: vector.epoch)
            var records: [UsageRecord] = []
            let isOpened = keys.openUsage(vector.sealed.bytes, first: vector.first, into: &records)
            #expect((isOpened ? .opened : .corrupted) == vector.expect, "\(vector.name)")
            #expect(UsageSegment.encode(records[...]) == vector.events?.bytes ?? [], "\(vector.name)")
            guard let parts = vector.tagParts else { continue }
            var tag = ByteWriter()
            tag.write(keys.usageTag(parts))
            #expect(tag.bytes == vector.tag?.bytes, "\(vector.name)")
        }
    }
}
