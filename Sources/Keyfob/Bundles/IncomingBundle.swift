internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobSync

/// A bundle that was verified, and of its records those of some accounts: what is merged, and the secrets, sealed for this
/// process alone.
///
/// Its records come in the order of their marks while it is read for the second time, so that all of an account's are
/// here at once and never all of the bundle's.
final class IncomingBundle {
    /// Gives a body each record of a bundle and its secret.
    typealias Reading = ((ItemRecord, consuming SecretBytes?) throws -> Void) throws -> Void

    let manifest: BundleManifest
    /// Whether it is a backup that the owner of its vault made.
    let isOwners: Bool
    private(set) var state = KeyringState()
    /// How many records are here.
    private(set) var count = 0
    /// The items for the vault they come from alone.
    private(set) var thisDeviceOnly: Set<ItemPlace> = []
    /// The decisions of the owner of the vault they come from.
    private(set) var owners: Set<ItemPlace> = []
    private var secrets: [ItemPlace: CommittingAEAD.Box] = [:]
    private let stashKey = SecretBytes.random(count: 32)
    private let digestKey: SecretBytes

    /// What people see of it.
    var summary: BundleSummary { BundleSummary(manifest, isOwners: isOwners) }

    /// What comes from another vault, without a record yet.
    init(_ manifest: BundleManifest, isOwners: Bool = false) {
        self.manifest = manifest
        self.isOwners = isOwners
        // The digests never leave this process; the key is the same each time so that a dry run tells the truth.
        digestKey = BLAKE2b.hash(Array("keyfob merge v1".utf8) + manifest.vault, count: 32).withBytes {
            SecretBytes(copying: $0)
        }
    }

    /// Forgets the records that are here.
    func removeAll() {
        (state, count) = (KeyringState(), 0)
        (thisDeviceOnly, owners) = ([], [])
        secrets.removeAll(keepingCapacity: true)
    }

    /// Takes a record in, with its secret.
    func take(_ record: ItemRecord, _ secret: consuming SecretBytes?) {
        var digest: SecretDigest?
        if let secret {
            digest = self.digest(of: secret)
            secrets[record.place] = stash(secret)
        }
        if record.isThisDeviceOnly { thisDeviceOnly.insert(record.place) }
        if record.isOwners { owners.insert(record.place) }
        state.insert(record, secret: digest)
        count += 1
    }

    /// Makes the decisions that are here decisions of this device, at the moment at which they were made.
    ///
    /// In a sync a device tells of its own decisions alone, so that nobody else would hear of these.
    ///
    /// - Parameter known: What the vault has: a decision that it has from another device stays that one's.
    func adoptDecisions(as device: UInt64, besides known: KeyringState) {
        for (group, items) in state.groups {
            for key in items.items.keys where key.kind == .setting && SyncTravel.travels(key) {
                guard var item = items.record(key, in: group), item.version.device != device,
                    known.groups[group]?.version(of: key) != item.version
                else { continue }
                item.version = ItemVersion(stamp: item.version.stamp, device: device)
                item.history.fieldVersions = [:]
                state.groups[group]?.items[key] = nil
                state.insert(item)
            }
        }
    }

    /// What stands for a secret in a merge.
    func digest(of secret: borrowing SecretBytes) -> SecretDigest {
        SecretDigest(of: secret, key: digestKey)
    }

    /// The secret of an item of the bundle; nil where it has none.
    func secret(at place: ItemPlace) throws -> SecretBytes? {
        guard let box = secrets[place] else { return nil }
        return try stashKey.withBytes { try CommittingAEAD.open(box, key: $0, context: [], placement: .recycled) }
    }

    private func stash(_ secret: borrowing SecretBytes) -> CommittingAEAD.Box {
        stashKey.withBytes { key in secret.withBytes { CommittingAEAD.seal($0, key: key, context: []) } }
    }
}
