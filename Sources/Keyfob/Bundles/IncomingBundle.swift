internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobSync

/// A bundle that was verified, with everything in it: what is merged, and the secrets, sealed for this process alone.
///
/// Nothing is written to a vault before all of it is here, so that no transaction waits for a passphrase or a pipe.
final class IncomingBundle {
    let manifest: BundleManifest
    /// Whether it is a backup that the owner of its vault made.
    let isOwners: Bool
    private(set) var state = KeyringState()
    /// The items for the vault they come from alone.
    private(set) var thisDeviceOnly: Set<ItemPlace> = []
    /// The decisions of the owner of the vault they come from.
    private(set) var owners: Set<ItemPlace> = []
    private var secrets: [ItemPlace: CommittingAEAD.Box] = [:]
    private let stashKey = SecretBytes.random(count: 32)
    private let digestKey: SecretBytes

    /// What people see of it.
    var summary: BundleSummary { BundleSummary(manifest, isOwners: isOwners) }

    /// Reads a bundle: first to its end, then for what is in it.
    ///
    /// - Throws: `wrongKey`, `damaged`, `limitExceeded`, `newerVersion`, `usage` for another purpose, `inputOutput`.
    convenience init(
        _ file: borrowing BundleFile, _ opener: borrowing BundleOpener, for purposes: Set<BundlePurpose>,
        of keyring: Keyring? = nil
    ) throws(KeyringError) {
        let key = try opener.key()
        let verified = try file.verify(key, for: purposes)
        self.init(verified.manifest, isOwners: verified.isOwners(by: opener, keyring))
        try file.read(verified, key) { record, secret in self.take(record, secret) }
    }

    /// What comes from another vault, without a record yet.
    init(_ manifest: BundleManifest, isOwners: Bool = false) {
        self.manifest = manifest
        self.isOwners = isOwners
        // The digests never leave this process; the key is the same each time so that a dry run tells the truth.
        digestKey = BLAKE2b.hash(Array("keyfob merge v1".utf8) + manifest.vault, count: 32).withBytes {
            SecretBytes(copying: $0)
        }
        for group in manifest.groups { state.groups[group] = GroupItems() }
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
