internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

/// Writing one bundle from a vault.
///
/// Everything is read once to count it, to find what cannot be written and to put it in order, and once to write it. In
/// memory are the rows' numbers and their order alone, 24 bytes each.
struct BundleWriting {
    let database: any VaultStorage
    let vault: VaultID
    /// The vault's header for a backup; nil for an export.
    let header: [UInt8]?
    let groups: [UnlockedVault.Group]
    let content: BundleContent
    let purpose: BundlePurpose
    let isArmored: Bool
    let milliseconds: Int64
    /// What of it goes to other devices, for a sync.
    var travel: SyncTravel?
    /// After which change what goes was changed here; nil for everything.
    var changedSince: UInt64?
    /// For a sync, with what digests of the group are hidden.
    var digestKey: [UInt8]?

    /// What was written.
    struct Written {
        let report: Keyring.BundleReport
        /// The digest in its last line.
        let digest: [UInt8]
    }

    /// What the first pass found.
    private struct Plan {
        /// Each group's rows that are written, in the order in which they are.
        var rows: [[MarkedRow]] = []
        var counts: [BundleManifest.RecordKind: Int] = [:]
        var messages: [String] = []
        var isIncomplete = false
        var size = 0
        /// The access tokens that are left out because none are wanted, and those of them that never expire.
        var (unwanted, lasting): (Set<ItemMark>, Set<ItemMark>) = ([], [])

        mutating func leaveOut(_ message: String) {
            messages.append(message)
            isIncomplete = true
        }
    }

    /// Writes it.
    ///
    /// - Parameters:
    ///   - sealing: Begins the file, given what it will hold.
    ///   - authenticate: Makes the MAC of a backup's digest.
    func run(
        sealing: (Keyring.BundleReport) throws -> AgeEncryptor,
        authenticating authenticate: ([UInt8]) throws -> [UInt8]? = { _ in nil }, _ output: (RawSpan) throws -> Void
    ) throws -> Written {
        let device = try database.device()
        let groups = groups.sorted { $0.name < $1.name }
        return try database.withSnapshot {
            let plan = try self.plan(groups, manifest(device, [:]))
            let manifest = self.manifest(device, plan.counts)
            let report = Keyring.BundleReport(
                summary: BundleSummary(manifest, isOwners: purpose == .backup), skipped: plan.messages,
                isIncomplete: plan.isIncomplete, accessTokensLeftOut: plan.unwanted.count,
                lastingTokensLeftOut: plan.lasting.count)
            var writer = try BundleWriter(manifest, encryptor: try sealing(report))
            for (group, rows) in zip(groups, plan.rows) {
                try database.forEachItem(in: group, rows: rows.lazy.map(\.row)) { found, secrets in
                    guard let (item, hasSecret) = carried(found) else { return }
                    if hasSecret {
                        try writer.write(item, secret: try secrets.secret(of: found), to: output)
                    } else {
                        try writer.write(item, to: output)
                    }
                }
            }
            let digest = try writer.finish(authenticating: authenticate, to: output)
            return Written(report: report, digest: digest)
        }
    }

    private func manifest(_ device: UInt64, _ counts: [BundleManifest.RecordKind: Int]) -> BundleManifest {
        BundleManifest(
            purpose: purpose, vault: vault.bytes, header: header, device: device, created: milliseconds,
            groups: groups.map(\.name), counts: counts, digestKey: digestKey)
    }

    /// Goes through the groups once: which rows can be written, and in which order.
    private func plan(_ groups: [UnlockedVault.Group], _ manifest: BundleManifest) throws -> Plan {
        var plan = Plan()
        let lines = RecordLines(manifest)
        for group in groups {
            var rows: [MarkedRow] = []
            var unrenewed = UnrenewedTokens(now: Timestamp(seconds: milliseconds / 1_000))
            func look(_ result: Result<RecordItem, StoreError>, _ secrets: ItemSecrets) throws {
                switch result {
                case .success(let found):
                    if purpose == .backup { unrenewed.look(at: found.item) }
                    note(found.item, &plan)
                    guard let (item, hasSecret) = carried(found) else { return }
                    do {
                        plan.size +=
                            hasSecret
                            ? try lines.count(item, secret: try secrets.secret(of: found)) : try lines.count(item)
                        plan.counts[item.kind, default: 0] += 1
                        rows.append(MarkedRow(found.record, item))
                    } catch StoreError.damaged(let what) {
                        plan.leaveOut("group \(group.name): \(what) does not open")
                    } catch let error as BundleError {
                        plan.leaveOut("group \(group.name): \(item.key) can't be in a bundle (\(Self.reason(error)))")
                    }
                case .failure(.damaged(let what)): plan.leaveOut("group \(group.name): \(what) does not open")
                case .failure(let error): throw error
                }
            }
            var isWhole = true
            if let changedSince, let changed = try database.rowIDs(in: group.keys, changedSince: changedSince) {
                try database.forEachItem(in: group, rows: changed) { try look(.success($0), $1) }
            } else {
                isWhole = try database.forEachItem(in: group, look)
            }
            if !isWhole { plan.leaveOut("group \(group.name): its records are not those of its manifest") }
            if let message = unrenewed.message(group: group.name) { plan.messages.append(message) }
            rows.sort()
            try leaveOutRepeated(&rows, group, &plan)
            plan.rows.append(rows)
        }
        let limits = BundleLimits()
        guard plan.counts.values.reduce(0, +) <= limits.records else {
            throw BundleError.limitExceeded(.records(limits.records))
        }
        // What is still to come: a chunk with its tag, the last line, and in armor a third more.
        let size = plan.size + 131_072
        guard (isArmored ? size / 48 * 65 : size) <= limits.size else {
            throw BundleError.limitExceeded(.fileSize(limits.size))
        }
        return plan
    }

    private static func reason(_ error: BundleError) -> String {
        if case .limitExceeded = error { "it is too long" } else { error.code }
    }

    /// Of several rows with one item, the one that was stored last is written.
    private func leaveOutRepeated(
        _ rows: inout [MarkedRow], _ group: UnlockedVault.Group, _ plan: inout Plan
    ) throws {
        let repeated = rows.indices.dropFirst().filter { rows[$0].mark == rows[$0 - 1].mark }
        guard !repeated.isEmpty else { return }
        try database.forEachItem(in: group, rows: repeated.map { rows[$0].row }) { found, _ in
            plan.counts[found.item.kind, default: 0] -= 1
            plan.leaveOut(
                "group \(group.name): \(found.item.key) is there more than once; what was stored last is in the bundle")
        }
        for index in repeated.reversed() { rows.remove(at: index) }
    }

    /// An item as a bundle of this purpose has it, and whether its secret goes along; nil for one that does not go.
    private func carried(_ found: RecordItem) -> (item: ItemRecord, hasSecret: Bool)? {
        guard isWanted(found.item) else { return nil }
        if let travel { return travel.leaving(found.item, hasSecret: found.hasSecret) }
        var item = found.item
        item.isOwners = item.isOwners && purpose == .backup
        return (item, found.hasSecret)
    }

    /// Notes an access token that an export would have if it was to have any.
    private func note(_ item: ItemRecord, _ plan: inout Plan) {
        guard purpose == .export, !content.includesAccessTokens, !item.isThisDeviceOnly,
            case .credential(let credential) = item.content, credential.kind == .accessToken,
            content.account == nil || credential.account == content.account
        else { return }
        let mark = ItemMark(item.key)
        plan.unwanted.insert(mark)
        if credential.expiresOn == nil { plan.lasting.insert(mark) }
    }

    private func isWanted(_ item: ItemRecord) -> Bool {
        if item.isThisDeviceOnly, purpose != .backup { return false }
        guard !item.key.staysHere else { return false }
        switch item.content {
        case .account(let account): return content.account == nil || account.id == content.account
        case .credential(let credential):
            if credential.kind == .accessToken, !content.includesAccessTokens {
                // One that does not expire came from elsewhere, and no refresh brings it back.
                guard purpose == .backup, credential.expiresOn == nil else { return false }
            }
            return content.account == nil || credential.account == content.account
        case .setting, .clientSecret:
            return content.account == nil && (purpose == .backup || !RegistrySetting.isPart(item.key))
        case .appMetadata, .foreign, .tombstone: return content.account == nil
        }
    }
}

/// A row and its item's place in a bundle; of one item's rows the one that was stored last goes first.
struct MarkedRow: Comparable {
    let mark: ItemMark
    let row: Int64
    private let version: ItemVersion

    init(_ record: StoredRecord, _ item: ItemRecord) {
        (mark, row, version) = (ItemMark(item.key), record.rowID, record.version)
    }

    static func < (left: MarkedRow, right: MarkedRow) -> Bool {
        guard left.mark == right.mark else { return left.mark < right.mark }
        return left.version == right.version ? left.row < right.row : left.version > right.version
    }
}
