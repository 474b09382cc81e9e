internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

extension VaultStorage {
    /// Changes records of one group in one transaction.
    ///
    /// - Parameters:
    ///   - sequence: The sequence of the header that `keys` come from.
    ///   - milliseconds: Now, since 1970.
    ///   - note: What it is noted as; nil for a change that nobody undoes.
    /// - Throws: `staleKeys` when the header has changed since, `busy`, `diskFull`, `notWritable`,
    ///   `inputOutput`; nothing has been written then.
    /// - Returns: What `body` returns, and how far the group has come.
    package func change<Result>(
        _ keys: GroupKeys, sequence: UInt64, milliseconds: Int64, note: ChangeNote? = nil,
        _ body: (GroupWriter) throws -> Result
    ) throws -> (result: Result, milestone: Milestone?) {
        try write(sequence: sequence) { change in
            let writer = GroupWriter(
                try change.records(keys), device: try change.device(), milliseconds: milliseconds)
            writer.note(as: note)
            let result = try body(writer)
            return (result, try writer.finish())
        }
    }

    /// Changes records of several groups in one transaction; `body` gets a writer for each, in their order.
    package func change<Result>(
        _ groups: [GroupKeys], sequence: UInt64, milliseconds: Int64, note: ChangeNote? = nil,
        _ body: ([GroupWriter]) throws -> Result
    ) throws -> (result: Result, milestones: [Milestone]) {
        try write(sequence: sequence) { change in
            let device = try change.device()
            let writers = try groups.map {
                GroupWriter(try change.records($0), device: device, milliseconds: milliseconds)
            }
            for writer in writers { writer.note(as: note) }
            let result = try body(writers)
            return (result, try writers.compactMap { try $0.finish() })
        }
    }
}

extension VaultStorage {
    /// Changes records of several groups in one transaction, and makes groups that are missing.
    ///
    /// - Parameters:
    ///   - names: The groups to change.
    ///   - new: Those of them to make; needs the whole vault's key.
    ///   - milliseconds: Now, since 1970.
    ///   - note: What it is noted as; nil for a change that nobody undoes.
    /// - Throws: as ``change(_:sequence:milliseconds:note:_:)``; `needsVaultKey`, `groupExists`, `noSuchGroup`.
    /// - Returns: What `body` returns, and how far the groups, and the header where groups are made, have come.
    package func change<Result>(
        _ vault: inout UnlockedVault, groups names: [AccessGroup], creating new: [AccessGroup], milliseconds: Int64,
        note: ChangeNote? = nil, _ body: ([AccessGroup: GroupWriter]) throws -> Result
    ) throws -> (result: Result, milestones: [Milestone]) {
        func run(
            _ vault: borrowing UnlockedVault, _ change: any StorageChange
        ) throws -> (result: Result, milestones: [Milestone]) {
            try change.expectMany()
            let device = try change.device()
            var writers: [AccessGroup: GroupWriter] = [:]
            for name in names {
                let records = try change.records(try vault.group(name).keys)
                let writer = GroupWriter(records, device: device, milliseconds: milliseconds)
                writer.note(as: note)
                if let note, new.contains(name) { try writer.note(.groupMade, of: note.entry) }
                writers[name] = writer
            }
            let result = try body(writers)
            return (result, try writers.values.compactMap { try $0.finish() })
        }
        guard !new.isEmpty else {
            return try write(sequence: vault.sequence) { try run(vault, $0) }
        }
        var (result, milestones) = try changeHeader(&vault) { vault, change in
            for name in new {
                if vault.groups.contains(where: { $0.name == name }) { throw StoreError.groupExists }
                try change.begin(try vault.createGroup(name).keys)
            }
            return try run(vault, change)
        }
        milestones.append(try vault.milestone())
        return (result, milestones)
    }
}
