internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

/// Writing one bundle from a vault: once for nobody, to count and to find what cannot be written, and once for real.
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

    /// What was written.
    struct Written {
        let report: Keyring.BundleReport
        /// The digest in its last line.
        let digest: [UInt8]
    }

    /// What the first pass found.
    fileprivate struct Count {
        var counts: [BundleManifest.RecordKind: Int] = [:]
        /// The rows that cannot be written.
        var skipped: Set<Int64> = []
        var messages: [String] = []
        var isIncomplete = false
        var size = 0
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
        return try database.withSnapshot {
            let count = try self.count(device)
            let manifest = self.manifest(device, count.counts)
            let report = Keyring.BundleReport(
                summary: BundleSummary(manifest, isOwners: purpose == .backup), skipped: count.messages,
                isIncomplete: count.isIncomplete)
            var writer = try BundleWriter(manifest, encryptor: try sealing(report))
            for group in groups {
                try forEach(in: group) { found, secrets in
                    guard !count.skipped.contains(found.record.rowID) else { return }
                    if found.hasSecret {
                        try writer.write(found.item, secret: try secrets.secret(of: found), to: output)
                    } else {
                        try writer.write(found.item, to: output)
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
            groups: groups.map(\.name),
            counts: counts)
    }

    private func count(_ device: UInt64) throws -> Count {
        var count = Count()
        let nobody = AgeIdentity.generate().recipient
        var writer = try BundleWriter(manifest(device, [:]), recipients: [nobody])
        for group in groups {
            let isWhole = try forEach(in: group) { found, secrets in
                do {
                    if found.hasSecret {
                        try writer.write(found.item, secret: try secrets.secret(of: found)) {
                            count.size += $0.byteCount
                        }
                    } else {
                        try writer.write(found.item) { count.size += $0.byteCount }
                    }
                    count.counts[found.item.kind, default: 0] += 1
                } catch StoreError.damaged(let what) {
                    count.skip(found, "group \(group.name): \(what) does not open")
                    count.isIncomplete = true
                } catch BundleError.limitExceeded(.records(let limit)) {
                    throw BundleError.limitExceeded(.records(limit))
                } catch let error as BundleError {
                    count.skip(found, "group \(group.name): \(found.item.key) cannot be in a bundle (\(error.code))")
                    count.isIncomplete = true
                }
            } damaged: { what in
                count.messages.append("group \(group.name): \(what) does not open")
                count.isIncomplete = true
            }
            if !isWhole {
                count.messages.append("group \(group.name): its records are not those of its manifest")
                count.isIncomplete = true
            }
        }
        // What is still to come: a chunk with its tag, the last line, and in armor a third more.
        let limit = BundleLimits().size
        let size = count.size + 131_072
        guard (isArmored ? size / 48 * 65 : size) <= limit else { throw BundleError.limitExceeded(.fileSize(limit)) }
        return count
    }

    /// Calls `body` with each item of a group that is wanted.
    @discardableResult
    private func forEach(
        in group: UnlockedVault.Group, _ body: (RecordItem, ItemSecrets) throws -> Void,
        damaged: (String) -> Void = { _ in }
    ) throws -> Bool {
        try database.forEachItem(in: group) { result, secrets in
            switch result {
            case .success(var found):
                guard isWanted(found.item) else { return }
                found.item.isOwners = found.item.isOwners && purpose == .backup
                try body(found, secrets)
            case .failure(.damaged(let what)): damaged(what)
            case .failure(let error): throw error
            }
        }
    }

    private func isWanted(_ item: ItemRecord) -> Bool {
        if item.isThisDeviceOnly, purpose != .backup { return false }
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

extension BundleWriting.Count {
    fileprivate mutating func skip(_ found: RecordItem, _ message: String) {
        skipped.insert(found.record.rowID)
        messages.append(message)
    }
}
