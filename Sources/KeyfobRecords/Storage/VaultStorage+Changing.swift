internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

extension VaultStorage {
    /// Changes records of one group in one transaction.
    ///
    /// - Parameters:
    ///   - sequence: The sequence of the header that `keys` come from.
    ///   - milliseconds: Now, since 1970.
    /// - Throws: `staleKeys` when the header has changed since, `busy`, `diskFull`, `notWritable`,
    ///   `inputOutput`; nothing has been written then.
    /// - Returns: What `body` returns, and the manifest's sequence.
    package func change<Result>(
        _ keys: GroupKeys, sequence: UInt64, milliseconds: Int64, _ body: (GroupWriter) throws -> Result
    ) throws -> (result: Result, sequence: UInt64) {
        try write(sequence: sequence) { change in
            let writer = GroupWriter(
                try change.records(keys), device: try change.device(), milliseconds: milliseconds)
            let result = try body(writer)
            return (result, try writer.finish())
        }
    }

    /// Changes records of two groups in one transaction.
    package func change<Result>(
        _ first: GroupKeys, _ second: GroupKeys, sequence: UInt64, milliseconds: Int64,
        _ body: (GroupWriter, GroupWriter) throws -> Result
    ) throws -> (result: Result, sequences: (UInt64, UInt64)) {
        try write(sequence: sequence) { change in
            let device = try change.device()
            let one = GroupWriter(try change.records(first), device: device, milliseconds: milliseconds)
            let other = GroupWriter(try change.records(second), device: device, milliseconds: milliseconds)
            let result = try body(one, other)
            return (result, (try one.finish(), try other.finish()))
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
    /// - Throws: as ``change(_:sequence:milliseconds:_:)``; `needsVaultKey`, `groupExists`, `noSuchGroup`.
    /// - Returns: What `body` returns, and the sequences of the manifests.
    package func change<Result>(
        _ vault: inout UnlockedVault, groups names: [AccessGroup], creating new: [AccessGroup], milliseconds: Int64,
        _ body: ([AccessGroup: GroupWriter]) throws -> Result
    ) throws -> (result: Result, sequences: [(group: GroupID?, sequence: UInt64)]) {
        func run(
            _ vault: borrowing UnlockedVault, _ change: any StorageChange
        ) throws -> (result: Result, sequences: [(group: GroupID?, sequence: UInt64)]) {
            try change.expectMany()
            let device = try change.device()
            var writers: [AccessGroup: GroupWriter] = [:]
            for name in names {
                let records = try change.records(try vault.group(name).keys)
                writers[name] = GroupWriter(records, device: device, milliseconds: milliseconds)
            }
            let result = try body(writers)
            var sequences: [(group: GroupID?, sequence: UInt64)] = []
            for writer in writers.values { sequences.append((writer.keys.group, try writer.finish())) }
            return (result, sequences)
        }
        guard !new.isEmpty else {
            return try write(sequence: vault.sequence) { try run(vault, $0) }
        }
        var (result, sequences) = try changeHeader(&vault) { vault, change in
            for name in new {
                if vault.groups.contains(where: { $0.name == name }) { throw StoreError.groupExists }
                try change.begin(try vault.createGroup(name).keys)
            }
            return try run(vault, change)
        }
        sequences.append((nil, vault.sequence))
        return (result, sequences)
    }
}
