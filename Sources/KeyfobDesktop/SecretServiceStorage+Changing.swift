internal import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
package import KeyfobVault

extension SecretServiceStorage {
    package func device() throws -> UInt64 { try openHeader().device }

    package func storedHeader() throws -> StoredHeader {
        StoredHeader(bytes: try openHeader().header)
    }

    /// The vault's key and its header.
    ///
    /// - Throws: `DesktopError.service(.noItem)` where no item has them, `damaged` where none of those that should can be read.
    package func openHeader() throws -> OpenHeader {
        if let fresh = takeFreshHeader() {
            remember(fresh.header)
            return fresh.header.copy()
        }
        var found = try headers()
        if let header = found.newest.take() {
            remember(header)
            return header
        }
        guard found.items.isEmpty else {
            throw StoreError.damaged(
                what: "the item of the Secret Service that lists the vault's groups, \(found.items[0].path),")
        }
        throw DesktopError.service(.noItem, partly: false)
    }

    /// The items that hold the header, and whether one of them can be read.
    func headerItems() throws -> (items: [SecretService.ItemPath], newest: SecretService.ItemPath?) {
        let found = try headers()
        return (found.items, found.newestItem)
    }

    package func refresh(_ vault: inout UnlockedVault) throws {
        try refresh(&vault, try openHeader())
    }

    /// Takes over a header, with another key of the vault too: the header may have been made again.
    private func refresh(_ vault: inout UnlockedVault, _ header: borrowing OpenHeader) throws {
        do {
            try vault.refresh(headerBytes: header.header)
        } catch {
            vault = try header.unlocked()
            forgetRecords()
        }
    }

    /// Makes sure that a group is still there; what a header that is gone cannot tell is not asked of it.
    ///
    /// - Throws: `staleKeys`.
    func require(_ group: GroupID) throws {
        do {
            if try openHeader().unlocked().groupNames[group] == nil { throw StoreError.staleKeys }
        } catch DesktopError.service(.noItem, _) {
            return
        }
    }

    // The header has no copy outside the service.
    package func repairHeaderCopy(_ vault: borrowing UnlockedVault) {}
    package func headerCopy() -> HeaderCopy { .current }
    package func repairHeader(_ vault: inout UnlockedVault, beyond seen: UInt64) throws {
        try giveUpRefusedChange()
        try changeSlots(&vault) { $0.advance(beyond: seen) }
    }

    /// The header in the item where it is looked for first; nil where that is not the header's item, or nobody can read it
    /// now.
    ///
    /// - Parameter sequence: What was seen of it: of one that is behind, a later one may be elsewhere.
    func header(in item: SecretService.ItemPath, notBefore sequence: UInt64) throws -> OpenHeader? {
        do {
            return try withService { service, _ in
                ownHeader(try service.readableSecret(of: item), notBefore: sequence)
            }
        } catch DesktopError.service(let reason, _) where ![.timedOut, .noService, .noBus].contains(reason) {
            return nil
        }
    }

    /// The header of this vault in the secret of an item; nil for an earlier one, and for anything else.
    private func ownHeader(_ bytes: borrowing SecretBytes, notBefore sequence: UInt64) -> OpenHeader? {
        guard let header = try? OpenHeader(bytes), let parsed = try? LockedVault(headerBytes: header.header),
            parsed.header.vault == vault, parsed.sequence >= sequence
        else { return nil }
        return header
    }

    /// The items that hold the header, and the newest that can be read, which is noted for who opens the vault next.
    private func headers() throws -> Headers {
        let known = takeFoundHeaders()
        return try withService { service, collection in
            var found = try known ?? service.items(ItemAttributes.header(of: vault), in: collection)
            if found.isEmpty {
                try Self.requireUnlocked(collection, service)
                found = mislaidHeader(service, collection).map { [$0] } ?? []
            }
            var headers = Headers(items: found)
            var sequence: UInt64 = 0
            try service.secrets(of: found) { item, content in
                let bytes: SecretBytes
                switch consume content {
                case .success(let secret): bytes = secret
                case .failure(.noItem): return
                case .failure(.damaged): return
                // One that cannot be read now is not lost: no other takes its place.
                case .failure(let error): throw error
                }
                guard let header = try? OpenHeader(bytes),
                    let parsed = try? LockedVault(headerBytes: header.header), parsed.header.vault == vault
                else { return }
                if headers.newest == nil || parsed.sequence > sequence {
                    sequence = parsed.sequence
                    headers.newest = consume header
                    headers.newestItem = item
                }
            }
            switch headers.newest {
            case .some(let header): headers.newestItem.map { note(headerItem: $0, header) }
            case nil: break
            }
            return headers
        }
    }

    /// The item in which the header was found last, where it is there still and another program has changed the attributes
    /// by which it is found: it gets them back.
    private func mislaidHeader(_ service: SecretService, _ collection: String) -> SecretService.ItemPath? {
        guard let place = headerNote?.place else { return nil }
        let item = SecretService.ItemPath(path: place.item)
        guard item.collection == collection else { return nil }
        do throws(SecretServiceError) {
            switch ownHeader(try service.readableSecret(of: item), notBefore: place.sequence) {
            case .some: try service.setAttributes(of: item, to: ItemAttributes.header(of: vault), label: nil)
            case nil: return nil
            }
        } catch {
            return nil
        }
        return item
    }

    private struct Headers: ~Copyable {
        let items: [SecretService.ItemPath]
        var newest: OpenHeader?
        var newestItem: SecretService.ItemPath?
    }

    /// Writes the header: in place, or as a new item.
    func storeHeader(_ header: borrowing OpenHeader) throws {
        let content = header.encoded()
        let item = try headers().newestItem
        let written = try withService { service, collection in
            let attributes = ItemAttributes.header(of: vault)
            guard let item else {
                return try service.create(
                    label: "Keyfob: the groups of vault \(vault.short)", attributes: attributes, secret: content,
                    in: collection)
            }
            try service.setSecret(of: item, to: content)
            return item
        }
        note(headerItem: written, header)
        remember(header)
    }

    package func write<Result>(sequence: UInt64, _ body: (any StorageChange) throws -> Result) throws -> Result {
        let turn = try StorageTurn(at: self)
        try requireHere()
        let result: Result
        do {
            try completeChange()
            result = try change(try openHeader(), sequence, from: nil, body) { change, vault in
                try change.commit(vault)
                return true
            }
        } catch let error as DesktopError {
            // What nobody can get again is written down, and made by whoever reaches the service next.
            guard error.isOfService, let (known, records) = memory(),
                let kept = try? change(known.header.copy(), sequence, from: records, body, { try $0.keep($1) })
            else { throw error }
            result = kept
        }
        _ = consume turn
        return result
    }

    /// - Throws: `busy` where `commit` says that nothing was done.
    private func change<Result>(
        _ header: consuming OpenHeader, _ sequence: UInt64, from memory: RememberedRecords?,
        _ body: (any StorageChange) throws -> Result,
        _ commit: (DelegatedChange, borrowing UnlockedVault) throws -> Bool
    ) throws -> Result {
        let vault = try header.unlocked()
        guard vault.sequence == sequence else { throw StoreError.staleKeys }
        forgetDoubles()
        let change = DelegatedChange(self, header, from: memory)
        let result = try body(change)
        guard try commit(change, vault) else { throw StoreError.busy }
        return result
    }

    package func changeHeader<Result>(
        _ vault: inout UnlockedVault, _ body: (inout UnlockedVault, any StorageChange) throws -> Result
    ) throws -> Result {
        let turn = try StorageTurn(at: self)
        try requireHere()
        try completeChange()
        let before = try openHeader()
        try refresh(&vault, before)
        do {
            forgetDoubles()
            let change = DelegatedChange(self, before)
            let result = try body(&vault, change)
            try change.commit(vault, changesHeader: true)
            _ = consume turn
            return result
        } catch {
            // Written or not, the service knows.
            let now = (try? storedHeader().bytes) ?? before.header
            try? vault.refresh(headerBytes: now)
            throw error
        }
    }

    package func rotateGroup(
        _ name: AccessGroup, removing slot: SlotID?, _ vault: inout UnlockedVault,
        before: (any StorageChange, GroupKeys) throws -> Void, progress: (Int, Int) -> Void
    ) throws -> Int {
        throw DesktopError.notOffered("groups have no keys of their own")
    }

    package func rekey(
        _ rekeyed: borrowing UnlockedVault, from sequence: UInt64, keys: [(old: GroupKeys, new: GroupKeys)],
        progress: (Int, Int) -> Void
    ) throws -> Int {
        throw DesktopError.notOffered("its records are not sealed")
    }
}

extension UnlockedVault {
    /// What the groups are called.
    var groupNames: [GroupID: AccessGroup] {
        Dictionary(groups.map { ($0.keys.group, $0.name) }) { first, _ in first }
    }
}
