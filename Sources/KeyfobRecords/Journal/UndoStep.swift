internal import KeyfobFiles
internal import KeyfobModel
package import KeyfobVault

/// What undoing does with one item that the journal keeps.
package enum UndoStep: Sendable {
    /// The item is gone, and comes back.
    case bringBack
    /// What the command left of the item is replaced by what was there before.
    case putBack(StoredRecord)
    /// What the command added goes.
    case takeAway(StoredRecord)
    /// The item is there again, newer; it gets what it lacks.
    case complete(StoredRecord)
    /// Nothing is done, and why.
    case nothing(Reason)

    /// Why an item does not come back.
    package enum Reason: Sendable {
        /// It is there as it was, or what the command added is gone.
        case done
        /// It is there again, and newer.
        case newer
        /// The account that it belongs to is not there.
        case noAccount
        /// Another group has used the same sign-in since, so that this refresh token may have been replaced.
        case usedElsewhere
    }

    /// Whether something changes.
    package var changes: Bool { if case .nothing = self { false } else { true } }

    /// Whether the journal has no more use for the item afterwards.
    package var isFinal: Bool {
        switch self {
        case .bringBack, .putBack, .takeAway, .complete, .nothing(.done): true
        case .nothing: false
        }
    }

    /// Whether it brings something back, rather than taking away what a command added.
    package var returns: Bool {
        switch self {
        case .bringBack, .putBack, .complete: true
        case .takeAway, .nothing: false
        }
    }
}

/// An item of the journal, and what undoing does with it.
package struct PlannedUndo: Sendable {
    package let item: StoredItem<JournalItem>
    package let step: UndoStep
}

extension RecordReading {
    /// What undoing would do with some items of the journal, as the group stands.
    ///
    /// - Parameter isUsedElsewhere: Whether a refresh token may have been replaced by the use of it in another group.
    package func planUndo(
        of items: [StoredItem<JournalItem>], isUsedElsewhere: (StoredItem<JournalItem>) throws -> Bool
    ) throws -> [PlannedUndo] {
        let returning = Set(
            items.compactMap { item in
                if case .account(let account) = item.value.content, item.value.former != nil { account.id } else { nil }
            })
        return try items.map { item in
            var step = try step(for: item.value)
            if step.returns, let credential = item.value.content.credential {
                if !returning.contains(credential.account), try account(credential.account) == nil {
                    step = .nothing(.noAccount)
                } else if credential.kind == .refreshToken, try isUsedElsewhere(item) {
                    step = .nothing(.usedElsewhere)
                }
            }
            return PlannedUndo(item: item, step: step)
        }
    }

    private func step(for item: JournalItem) throws -> UndoStep {
        let current = try record(holding: item.content)
        guard let former = item.former else {
            guard let current else { return .nothing(.done) }
            // A sign-out that was repeated left the same mark again.
            let isMark = try current.secretCommitment == nil && grant(of: current)?.state == .signedOut
            return current.version == item.left || isMark ? .takeAway(current) : .nothing(.newer)
        }
        guard let current else { return try isSuperseded(item) ? .nothing(.newer) : .bringBack }
        if current.version == item.left { return .putBack(current) }
        if try isSame(current, item, former) { return .nothing(.done) }
        switch item.content {
        case .credential(let credential) where credential.kind == .refreshToken:
            let isEnded = try current.secretCommitment == nil && grant(of: current)?.state != .active
            return try isEnded && former.hasSecret && !isSuperseded(item) ? .putBack(current) : .nothing(.newer)
        case .account(let account):
            return try account.label != nil && current.decode(keys, AccountBody.decode).label == nil
                && !isLabelTaken(account) ? .complete(current) : .nothing(.newer)
        default: return .nothing(.newer)
        }
    }

    /// Whether a newer token is there that does what the former one did.
    private func isSuperseded(_ item: JournalItem) throws -> Bool {
        guard let credential = item.content.credential else { return false }
        switch credential.kind {
        case .accessToken:
            return try records(.credential, keys.lookup(.credential(credential)))
                .filter { $0.header.kind == .accessToken }
                .contains { try $0.content(keys).credential.map(credential.supersedes) ?? false }
        case .refreshToken:
            // Of a client that has joined a family since, or left it.
            return try records(of: keys.blind(credential.account), kind: .refreshToken).contains { record in
                guard record.secretCommitment != nil, let other = try record.content(keys).credential else {
                    return false
                }
                return other.clientID == credential.clientID && other.partition == credential.partition
                    && (other.grant ?? Grant()).state == .active
            }
        case .idToken: return false
        }
    }

    /// Whether a record holds what was there before.
    private func isSame(_ current: StoredRecord, _ item: JournalItem, _ former: JournalItem.Former) throws -> Bool {
        guard (current.secretCommitment != nil) == former.hasSecret else { return false }
        var (now, before) = (try current.content(keys), item.content)
        if var (mine, theirs) = now.credential.flatMap({ mine in before.credential.map { (mine, $0) } }) {
            guard (mine.grant ?? Grant()).state == (theirs.grant ?? Grant()).state else { return false }
            (mine.grant, theirs.grant) = (nil, nil)
            (now, before) = (.credential(mine), .credential(theirs))
        }
        // A token of the same name may be another one.
        return now == before && !former.hasSecret
    }

    private func grant(of record: StoredRecord) throws -> Grant? {
        guard record.header.kind == .refreshToken else { return nil }
        return try record.content(keys).credential?.grant ?? Grant()
    }

    /// The record that holds an item with the key of `content`.
    private func record(holding content: ItemContent) throws -> StoredRecord? {
        if case .account(let account) = content { return try self.account(account.id) }
        let kind = RecordHeader.Kind(content)
        return try records(.credential, keys.lookup(content)).first { record in
            try record.header.kind == kind && record.content(keys).key == content.key
        }
    }

    private func account(_ id: AccountID) throws -> StoredRecord? {
        try records(.account, keys.blind(id)).first { $0.header.kind == .account }
    }

    /// Whether another account of the group has the label of this one.
    func isLabelTaken(_ account: Account) throws -> Bool {
        guard let label = account.label else { return false }
        return try accounts(AccountLookup(label: keys.blind(label: label)))
            .contains { try $0.decode(keys, AccountBody.decode).id != account.id }
    }
}
