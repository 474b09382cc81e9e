internal import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

extension GroupWriter {
    /// Moves an account and every credential of it from another group into this one.
    ///
    /// - Throws: `notFound` when it is not there, `alreadyThere` when this group has it already.
    /// - Returns: How many records moved.
    package func move(_ id: AccountID, from source: GroupWriter) throws -> Int {
        guard try reader.records(.account, keys.blind(id)).isEmpty else {
            throw StoreError.alreadyThere(path: id.description)
        }
        let records = try source.reader.records(.account, source.keys.blind(id))
        guard !records.isEmpty else { throw StoreError.notFound }
        try source.noteRemoval(records)
        // Whoever has the other group's key alone has no right to the tokens any more, nor to those before them.
        try source.eraseFromJournal(EndedTokens(of: id))
        try forgetFormerAccount(id)
        for record in records {
            let content = try record.content(source.keys)
            if content.credential?.holdsClientKey == true {
                try source.bury(record)
                continue
            }
            let body = try record.decode(source.keys) { body throws(FieldList.Malformed) in
                body.with(try body.history().moved)
            }
            if record.secretCommitment != nil {
                try insert(content, former: body, secret: try source.reader.secret(record))
            } else {
                try insert(content, former: body)
            }
            try source.bury(record)
        }
        return records.count
    }

    /// Takes the tokens that another group has of an account which is in this one as well; what is here of it stays.
    package func takeCredentials(of id: AccountID, from source: GroupWriter) throws {
        try source.eraseFromJournal(EndedTokens(of: id))
        for record in try source.reader.records(.account, source.keys.blind(id))
        where record.secretCommitment != nil && !record.isTombstone {
            let content = try record.content(source.keys)
            guard let credential = content.credential, try self.record(of: content) == nil else { continue }
            if credential.holdsClientKey {
                try source.bury(record)
                continue
            }
            let body = try record.decode(source.keys) { body throws(FieldList.Malformed) in
                body.with(try body.history().moved)
            }
            try insert(content, former: body, secret: try source.reader.secret(record))
            try source.bury(record)
        }
    }

    /// Writes an item that is gone from the group, or was never there: as new, after its removal, a grant in an epoch of its
    /// own.
    ///
    /// The caller has seen that it is not there.
    package func bringBack(_ item: ItemRecord, secret: consuming SecretBytes?) throws {
        var (header, body) = try beginning(
            item.content, former: ItemBody.encode(item.content).body.with(item.history.moved))
        header.isThisDeviceOnly = item.isThisDeviceOnly
        var isReserved = false
        if case .setting(let name, _) = item.content { isReserved = name.hasPrefix(JournalEntry.reservedPrefix) }
        if item.isOwners, !isReserved { body = SettingBody.signed(body, item.content, keys) }
        switch consume secret {
        case .some(let secret): try insert(try keys.seal(header, attributes: body, secret: secret))
        case nil: try insert(try keys.seal(header, attributes: body))
        }
    }
}

extension Credential {
    /// Whether the key of a client is in it, which is its group's: in another group a refresh gets another token.
    fileprivate var holdsClientKey: Bool { kind == .accessToken && isCertified }
}
