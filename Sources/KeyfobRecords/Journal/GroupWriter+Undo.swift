internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

// Bringing back what the journal keeps: as new, after its removal, as if it had been signed in or written again, so that
// other machines of a sync take it. An entry brings back records of its own group alone.

extension GroupWriter {
    /// What undoing these entries would do.
    ///
    /// - Parameter isUsedElsewhere: as for a reader's `planUndo`.
    package func planUndo(
        of ids: Set<JournalID>, isUsedElsewhere: (StoredItem<JournalItem>) throws -> Bool
    ) throws -> [PlannedUndo] {
        guard try storage.mayHold(.journal) else { return [] }
        let items = try reader.journal().filter { ids.contains($0.value.entry.id) && !$0.value.entry.hasEnded(at: now) }
        return try reader.planUndo(of: items, isUsedElsewhere: isUsedElsewhere)
    }

    /// Does what was planned; what is done goes from the journal.
    package func undo(_ plan: [PlannedUndo]) throws {
        // What belongs to an account comes after it.
        for planned in plan.filter({ $0.item.value.kind == .account }) + plan.filter({ $0.item.value.kind != .account })
        {
            try make(planned)
        }
        for planned in plan where planned.step.isFinal { try delete(planned.item.record) }
    }

    private func make(_ planned: PlannedUndo) throws {
        let item = planned.item.value
        switch planned.step {
        case .bringBack: try bringBack(item, planned.item.record)
        case .putBack(let current): try putBack(item, planned.item.record, inPlaceOf: current)
        case .takeAway(let current): try bury(current)
        case .complete(let current):
            guard case .account(let former) = item.content else { return }
            var account = try current.decode(keys, AccountBody.decode)
            account.label = former.label
            try replace(current, .account(account))
        case .nothing: break
        }
    }

    private func bringBack(_ item: JournalItem, _ kept: StoredRecord) throws {
        guard let former = item.former else { return }
        var content = item.content
        if case .account(var account) = content {
            try forgetFormerAccount(account.id)
            if try reader.isLabelTaken(account) {
                account.label = nil
                content = .account(account)
            }
        }
        if var credential = content.credential {
            credential.grant = credential.grant?.elsewhere
            content = .credential(credential)
        }
        var new = try beginning(content, former: former.body.with(try former.body.history().moved))
        new.header.flags = former.flags
        try insert(try sealed(new.header, new.body, secretOf: kept, former))
    }

    private func putBack(_ item: JournalItem, _ kept: StoredRecord, inPlaceOf current: StoredRecord) throws {
        guard let former = item.former else { return }
        var content = item.content
        if var credential = content.credential, credential.kind == .refreshToken {
            let (before, now) = (credential.grant ?? Grant(), try current.content(keys).credential?.grant ?? Grant())
            var grant = now.succeeded(by: before)
            grant.state = before.state
            credential.grant = grant
            content = .credential(credential)
        }
        let next = try succeeding(current, content, isSameSecret: false)
        var header = next.header
        header.flags = former.flags
        let body = ItemBody.encode(content, replacing: former.body).body.with(try next.body.history())
        try replace(current, with: try sealed(header, body, secretOf: kept, former))
    }

    private func sealed(
        _ header: RecordHeader, _ body: FieldList, secretOf kept: StoredRecord, _ former: JournalItem.Former
    ) throws -> SealedRecord {
        guard former.hasSecret else { return try keys.seal(header, attributes: body) }
        return try keys.seal(header, attributes: body, secret: try reader.secret(kept))
    }
}
