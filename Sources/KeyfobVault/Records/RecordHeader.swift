package import KeyfobModel
internal import KeyfobSodium

/// The clear part of a record's row, all of it bound to what is sealed.
package struct RecordHeader: Equatable, Sendable {
    /// What a record is.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case account = 1
        case accessToken = 2
        case refreshToken = 3
        case idToken = 4
        case appMetadata = 5
        /// What another program's file held and Keyfob does not interpret.
        case foreign = 6
        /// Something the keyring itself remembers, such as the default account of the group.
        case setting = 7
        /// What is left of an item that was deleted.
        case tombstone = 8
        /// The secret of a client.
        case clientSecret = 9
        /// What a command took away or changed, so that it can be undone.
        case journal = 10
    }

    /// The two sealed blobs of a row.
    enum Part: UInt8 {
        case attributes = 0
        case secret = 1
    }

    /// The length of the encoded header in bytes.
    static let count = 144
    /// "KFR1".
    private static let magic: UInt32 = 0x4B46_5231

    package var vault: VaultID
    package var group: GroupID
    /// The epoch of the group's key that sealed the record.
    package var epoch: UInt32
    package var record: RecordID
    package var kind: Kind
    /// Bit 1, the value 2: travels in a sync; bit 2, the value 4: never leaves this device.
    package var flags: UInt16
    /// When this version was written.
    package var stamp: Stamp
    /// Which device wrote it.
    package var device: UInt64
    /// The blinded lookup fields.
    package var index: RecordIndex

    package init(
        vault: VaultID, group: GroupID, epoch: UInt32, record: RecordID, kind: Kind, flags: UInt16 = 0,
        stamp: Stamp, device: UInt64, index: RecordIndex
    ) {
        self.vault = vault
        self.group = group
        self.epoch = epoch
        self.record = record
        self.kind = kind
        self.flags = flags
        self.stamp = stamp
        self.device = device
        self.index = index
    }

    /// When and where this version of the item was written.
    package var version: ItemVersion { ItemVersion(stamp: stamp, device: device) }

    /// Whether the record never leaves this device.
    package var isThisDeviceOnly: Bool {
        get { flags & Self.thisDeviceOnly != 0 }
        set { flags = newValue ? flags | Self.thisDeviceOnly : flags & ~Self.thisDeviceOnly }
    }

    private static let thisDeviceOnly: UInt16 = 4

    /// The associated data of one part: 144 bytes, every field at a fixed place.
    func encoded(_ part: Part) -> [UInt8] {
        [UInt8](count: Self.count) { output in
            output.storeBytes(of: Self.magic.bigEndian, toByteOffset: 0, as: UInt32.self)
            output.storeBytes(of: UInt8(FormatVersion.current), toByteOffset: 4, as: UInt8.self)
            output.storeBytes(of: UInt8(FormatVersion.suite), toByteOffset: 5, as: UInt8.self)
            output.storeBytes(of: flags.littleEndian, toByteOffset: 6, as: UInt16.self)
            vault.store(into: &output, at: 8)
            group.store(into: &output, at: 24)
            output.storeBytes(of: epoch.littleEndian, toByteOffset: 40, as: UInt32.self)
            record.store(into: &output, at: 44)
            output.storeBytes(of: stamp.value.littleEndian, toByteOffset: 60, as: UInt64.self)
            output.storeBytes(of: device.littleEndian, toByteOffset: 68, as: UInt64.self)
            output.storeBytes(of: kind.rawValue, toByteOffset: 76, as: UInt8.self)
            output.storeBytes(of: part.rawValue, toByteOffset: 77, as: UInt8.self)
            index.account?.store(into: &output, at: 80)
            index.credential?.store(into: &output, at: 96)
            index.username?.store(into: &output, at: 112)
            index.label?.store(into: &output, at: 128)
        }
    }
}

/// The blinded lookup fields of a record; what a kind does not have is nil.
package struct RecordIndex: Equatable, Sendable {
    /// The account the record is, or belongs to.
    package var account: BlindValue?
    /// Account, kind, client and realm of a credential; client and environment of app metadata; the home
    /// account id of an account.
    package var credential: BlindValue?
    /// An account's user name.
    package var username: BlindValue?
    /// An account's label.
    package var label: BlindValue?

    package init(
        account: BlindValue? = nil, credential: BlindValue? = nil, username: BlindValue? = nil,
        label: BlindValue? = nil
    ) {
        self.account = account
        self.credential = credential
        self.username = username
        self.label = label
    }
}
