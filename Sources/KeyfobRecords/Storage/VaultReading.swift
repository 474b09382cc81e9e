package import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

/// Where the header and the records of a vault lie, for whoever reads them.
///
/// What is read comes sealed, also from a place that keeps it otherwise.
package protocol VaultReading: AnyObject, Sendable {
    /// The vault's folder, for locks and what else lies beside the records.
    var directory: VaultDirectory { get }

    /// Where the records lie.
    var place: StoragePlace { get }

    /// The state of the storage now; equal states hold the same records.
    func version() throws(StorageFailure) -> StorageVersion

    /// Lets all reading in `body` see one state, as far as the storage can.
    ///
    /// Not for several threads at a time: whoever calls sees to that.
    func withSnapshot<Result: ~Copyable>(_ body: () throws(StorageFailure) -> Result) throws(StorageFailure) -> Result

    /// Reads one group's records.
    func read<Result>(
        _ keys: GroupKeys, _ body: (AnyRecordReading) throws(StorageFailure) -> sending Result
    ) throws(StorageFailure) -> sending Result

    /// Reads one group's records on one consistent state, as far as the storage can.
    func snapshot<Result>(
        _ keys: GroupKeys, _ body: (AnyRecordReading) throws(StorageFailure) -> sending Result
    ) throws(StorageFailure) -> sending Result

    /// How far a group has come, at a small and constant price; nothing where the storage does not tell.
    func state(of keys: GroupKeys) throws(StorageFailure) -> GroupCompleteness

    /// How many records of each kind a group holds.
    func counts(in keys: GroupKeys) throws(StorageFailure) -> [RecordHeader.Kind: Int]

    /// The id of this copy of the vault, part of every record's stamp.
    func device() throws(StorageFailure) -> UInt64

    /// Reads the header.
    ///
    /// - Throws: `damaged` when neither it nor a copy can be read.
    func storedHeader() throws(StorageFailure) -> StoredHeader

    /// Reads the header; of two that are there the later one.
    ///
    /// - Throws: as ``storedHeader()``.
    func newestHeader() throws(StorageFailure) -> StoredHeader

    /// Takes over the header when another process has changed it.
    func refresh(_ vault: inout UnlockedVault) throws(StorageFailure)
}

extension VaultReading {
    package func newestHeader() throws(StorageFailure) -> StoredHeader { try storedHeader() }

    package func refresh(_ vault: inout UnlockedVault) throws(StorageFailure) {
        let bytes = try newestHeader().bytes
        do { try vault.refresh(headerBytes: bytes) } catch { throw error.onTheWay }
    }
}

// Embedded Swift has no values of a protocol's type; there is but one storage where the front reads.
#if hasFeature(Embedded)
package typealias AnyVaultReading = VaultDatabaseReader
package typealias AnyRecordReading = DatabaseRecords
#else
package typealias AnyVaultReading = any VaultReading
package typealias AnyRecordReading = any RecordReading
#endif

/// The state of a storage, so that its change by other processes is noticed.
package struct StorageVersion: Equatable, Sendable {
    private let counter: Int64

    /// The state that a storage counts so.
    package init(counter: Int64) {
        self.counter = counter
    }
}

/// The header, from where it belongs or, where that one is damaged, from a copy.
package struct StoredHeader: Sendable {
    /// The header's bytes.
    package let bytes: [UInt8]
    /// Where they are from.
    package let origin: Origin
    private let parsed: VaultHeader?

    /// Where a header can lie.
    package enum Origin: Sendable {
        /// Where it belongs.
        case first
        /// Beside it, of the same change.
        case second
        /// In a file of its own, which may lag behind.
        case file
    }

    /// How often the header has changed; 0 where a newer Keyfob wrote it.
    package var sequence: UInt64 { parsed?.sequence ?? 0 }

    /// Whether they are those of a copy.
    package var isFromCopy: Bool { origin != .first }

    /// A header as it was read.
    package init(bytes: [UInt8], origin: Origin = .first) {
        self.bytes = bytes
        self.origin = origin
        parsed = nil
    }

    /// The same where it is sound, and nil where it is damaged.
    ///
    /// What a newer Keyfob wrote is for the vault to judge.
    package init?(sound bytes: [UInt8], origin: Origin) {
        self.bytes = bytes
        self.origin = origin
        do {
            parsed = try VaultHeader(encoded: bytes)
        } catch {
            switch error {
            case .unsupportedVersion, .unsupportedSuite: parsed = nil
            default: return nil
            }
        }
    }

    /// The vault that has it.
    ///
    /// - Throws: As `LockedVault.init(headerBytes:)`.
    package func locked() throws(VaultError) -> LockedVault {
        guard let parsed else { return try LockedVault(headerBytes: bytes) }
        return LockedVault(parsed, bytes)
    }
}

/// What has become of the header's copy in a file of its own.
package enum HeaderCopy: Sendable {
    /// It is the header, or the storage keeps none.
    case current
    /// It is an earlier header.
    case behind
    case missing
    /// It is no header, or cannot be read.
    case damaged
}

/// How far a group has come, and how many records it should have and has.
package struct GroupCompleteness: Sendable {
    /// Nil where the storage does not tell.
    package let milestone: Milestone?
    package let expected: Int
    package let counted: Int

    /// A group's state as its manifest and a count tell it.
    package init(_ milestone: Milestone?, expected: Int, counted: Int) {
        self.milestone = milestone
        self.expected = expected
        self.counted = counted
    }

    /// The sequence of the group's manifest; 0 where it is not told.
    package var sequence: UInt64 { milestone?.sequence ?? 0 }
}
