internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

// Bringing back what the journal keeps: as new, after its removal, as if it had been signed in or written again, so that
// other machines of a sync take it. An entry brings back records of its own group alone.

extension GroupWriter {
    /// What undoing these entries would do.
    ///
    /// - Parameters:
    ///   - overrides: Whether what came later gives way.
    ///   - isUsedElsewhere: as for a reader's `planUndo`.
    package func planUndo(
        of entries: Set<JournalEntry>, overriding overrides: Bool = false,
        isUsedElsewhere: (StoredItem<JournalItem>) throws -> Bool
    ) throws -> [PlannedUndo] {
        let all = try storage.mayHold(.journal) ? reader.journal().filter { !$0.value.entry.hasEnded(at: now) } : []
        let kept = all.filter { entries.contains($0.value.entry) }
        let added = try reader.additions(of: entries).filter { !$0.value.entry.hasEnded(at: now) }
        return try reader.planUndo(
            of: kept + added, in: UndoSurroundings(all), overriding: overrides, isUsedElsewhere: isUsedElsewhere)
    }

    /// The refresh tokens that a plan brings back, replaces or takes away.
    package func grantKeys(of plan: [PlannedUndo]) throws -> Set<GrantKey> { try reader.grantKeys(of: plan) }

    /// Does what was planned; what is done goes from the journal.
    package func undo(_ plan: [PlannedUndo]) throws {
        // What belongs to an account comes after it, and goes before it.
        let (accounts, others) = (
            plan.filter { $0.item.value.kind == .account }, plan.filter { $0.item.value.kind != .account }
        )
        for planned in accounts where !planned.step.takesAway { try make(planned) }
        for planned in others { try make(planned) }
        for planned in accounts where planned.step.takesAway { try make(planned) }
        // What is as it was now may not be so any more when the rest can be undone.
        let isWhole = plan.allSatisfy(\.step.isFinal)
        for planned in plan where planned.step.isFinal && !planned.item.isAddition {
            guard isWhole || planned.step.changes else { continue }
            for record in [planned.item.record] + planned.rest { try delete(record) }
        }
    }

    private func make(_ planned: PlannedUndo) throws {
        let item = planned.item.value
        switch planned.step {
        case .bringBack: try bringBack(item, planned.item.record)
        case .putBack(let current): try putBack(item, planned.item.record, inPlaceOf: current)
        case .takeAway(let current):
            if case .account(let account) = item.content {
                // What was got for it since is nobody's without it.
                for record in try reader.records(.account, keys.blind(account.id)) where record.header.kind.isOfItems {
                    try bury(record)
                }
                try removeForeign(of: account.id)
            } else {
                try bury(current)
            }
        case .complete(let current):
            guard case .account(let former) = item.content else { return }
            var account = try current.decode(keys, AccountBody.decode)
            account.label = former.label
            try replace(current, .account(account))
        case .act, .nothing: break
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
        var new = try beginning(content, former: former.body.with(try former.body.history().moved), isUndone: true)
        new.header.flags = former.flags
        try insert(try sealed(new.header, new.body, secretOf: kept, former))
    }

    private func putBack(_ item: JournalItem, _ kept: StoredRecord, inPlaceOf current: StoredRecord) throws {
        guard let former = item.former else { return }
        var content = item.content
        if var credential = content.credential, credential.kind == .refreshToken {
            let (before, now) = (credential.grant ?? Grant(), try current.content(keys).credential?.grant ?? Grant())
            var grant = now.succeeded(by: before)
            // Whether its provider replaces tokens, too, is what was known then.
            (grant.state, grant.rotates) = (before.state, before.rotates)
            // A sign-out that is undone ends nothing on other machines that have not heard of it.
            if now.state == .signedOut, isOwn(current.version), now.epoch == before.latestEpoch {
                grant.ended = before.ended
            }
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
