package import KeyfobModel

/// The first line of a bundle: what it is, where it comes from and what is in it.
package struct BundleManifest: Hashable, Sendable {
    /// The version of the format that this build writes; a greater one is not read.
    package static let formatVersion = 1
    /// The minor version that this build writes; a greater one is read as far as it holds nothing unknown but
    /// fields.
    package static let minorVersion = 0

    /// The minor version it was written with.
    package var minorVersion: Int
    /// What it is for.
    package var purpose: BundlePurpose
    /// The id of the vault it comes from: 16 bytes.
    package var vault: [UInt8]
    /// In a backup, the vault's header with the slots of its recovery keys alone: by it they show whose backup it is.
    package var header: [UInt8]?
    /// The device that wrote it.
    package var device: UInt64
    /// When, in milliseconds since 1970; within the years 0000 to 9999.
    package var created: Int64
    /// The groups it is of, in their order, those without a record among them.
    package var groups: [AccessGroup]
    /// How many records of each kind there are; kinds without any are left out.
    package var counts: [RecordKind: Int]
    /// In a file of a sync, with what its device hides the digests of what it holds of the group; see ``GroupDigest``.
    package var digestKey: [UInt8]?
    /// The fields that this build does not know.
    package var unknownFields: AdditionalFields

    /// The most bytes of ``header``.
    package static let maximumHeaderCount = 65_536

    /// A manifest of the current version.
    ///
    /// - Parameter vault: 16 bytes; traps for another number.
    package init(
        purpose: BundlePurpose, vault: [UInt8], header: [UInt8]? = nil, device: UInt64, created: Int64,
        groups: [AccessGroup],
        counts: [RecordKind: Int], digestKey: [UInt8]? = nil, unknownFields: AdditionalFields = AdditionalFields()
    ) {
        precondition(vault.count == 16, "a vault's id has 16 bytes")
        self.minorVersion = Self.minorVersion
        self.purpose = purpose
        self.vault = vault
        self.header = header
        self.device = device
        self.created = BundleTime.clamped(milliseconds: created)
        self.groups = Set(groups).sorted()
        self.counts = counts.filter { $0.value > 0 }
        self.digestKey = digestKey
        self.unknownFields = unknownFields
    }

    /// The `kind` of a record's line.
    package enum RecordKind: String, Hashable, Sendable, CaseIterable {
        case account, credential, appMetadata, clientSecret, setting, foreign, tombstone
    }
}

extension ItemRecord {
    /// The `kind` of the record's line.
    package var kind: BundleManifest.RecordKind {
        switch content {
        case .account: .account
        case .credential: .credential
        case .appMetadata: .appMetadata
        case .clientSecret: .clientSecret
        case .setting: .setting
        case .foreign: .foreign
        case .tombstone: .tombstone
        }
    }
}

/// What a bundle was written for; one of another purpose is refused.
package enum BundlePurpose: String, Hashable, Sendable, CaseIterable {
    /// For another keyring.
    case export
    /// For the vault it comes from.
    case backup
    /// For another device of the same person.
    case sync
}
