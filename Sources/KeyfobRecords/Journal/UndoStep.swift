internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobSodium
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
    /// What no record says is taken back, by whoever has all groups at hand.
    case act(JournalAct)
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
        /// A later command has changed what this one added, or added to it.
        case changedSince
        /// More was replaced and removed than is kept.
        case tooMuch
        /// A key of the group alone says that it was done.
        case notOwners
        /// It is what no undo takes back.
        case lasting
        /// Another group has used the same sign-in since, so that this refresh token may have been replaced.
        case usedElsewhere
        /// The same sign-in has got another refresh token since, which its provider may end where this one is used.
        case replaced
    }

    /// Whether something changes.
    package var changes: Bool { if case .nothing = self { false } else { true } }

    /// Whether the journal has no more use for the item afterwards.
    package var isFinal: Bool {
        switch self {
        case .bringBack, .putBack, .takeAway, .complete, .act, .nothing(.done), .nothing(.lasting): true
        case .nothing: false
        }
    }

    /// Whether it takes away what a command added.
    var takesAway: Bool { if case .takeAway = self { true } else { false } }

    /// Whether it brings something back, rather than taking away what a command added.
    package var returns: Bool {
        switch self {
        case .bringBack, .putBack, .complete: true
        case .takeAway, .act, .nothing: false
        }
    }
}

/// An item of the journal, and what undoing does with it.
package struct PlannedUndo: Sendable {
    package let item: StoredItem<JournalItem>
    /// What else the journal keeps of it, from later changes of the same run.
    let rest: [StoredRecord]
    package var step: UndoStep
    /// Whether what came later is lost by it.
    package var isOverriding = false
}

extension RecordReading {
    /// What undoing would do with some items of the journal, as the group stands.
    ///
    /// - Parameters:
    ///   - items: What the journal keeps, and records that were added (``additions(of:)``).
    ///   - surroundings: What the group holds besides.
    ///   - overrides: Whether what came later gives way.
    ///   - isUsedElsewhere: Whether a refresh token may have been replaced by the use of it in another group.
    package func planUndo(
        of items: [StoredItem<JournalItem>], in surroundings: UndoSurroundings, overriding overrides: Bool = false,
        isUsedElsewhere: (StoredItem<JournalItem>) throws -> Bool
    ) throws -> [PlannedUndo] {
        let undone = UndoneItem.all(of: items)
        var plan = undone.map { PlannedUndo(item: $0.item, rest: $0.rest, step: .nothing(.done)) }
        // What goes is in nothing's way.
        var going: Set<RecordID> = []
        for isAdded in [true, false] {
            for index in plan.indices where (plan[index].item.value.former == nil) == isAdded {
                let item = plan[index].item
                plan[index].step = try step(for: item, besides: going)
                if overrides, let other = try overriding(plan[index].step, item) {
                    (plan[index].step, plan[index].isOverriding) = (other, true)
                }
                if case .takeAway(let record) = plan[index].step { going.insert(record.header.record) }
            }
        }
        try keepAccounts(&plan, surroundings, overriding: overrides)
        let returning = Set(
            plan.compactMap { planned in
                if planned.step.returns, case .account(let account) = planned.item.value.content {
                    account.id
                } else {
                    nil
                }
            })
        for (index, planned) in plan.enumerated() where planned.step.returns {
            guard let credential = planned.item.value.content.credential else { continue }
            if !returning.contains(credential.account), try account(credential.account) == nil {
                plan[index].step = .nothing(.noAccount)
            } else if credential.kind == .refreshToken, try isUsedElsewhere(planned.item) {
                plan[index].step = .nothing(.usedElsewhere)
            } else if credential.kind == .refreshToken, try isReplaced(planned.item, planned.step) {
                plan[index].step = .nothing(.replaced)
            }
            if !plan[index].step.changes { plan[index].isOverriding = false }
        }
        return plan
    }

    /// The refresh tokens that a plan brings back, replaces or takes away.
    package func grantKeys(of plan: [PlannedUndo]) throws -> Set<GrantKey> {
        var found: Set<GrantKey> = []
        for planned in plan where planned.step.changes {
            switch planned.item.value.content {
            case .credential(let credential) where credential.kind == .refreshToken: found.insert(GrantKey(credential))
            case .account(let account) where planned.step.takesAway:
                for record in try records(of: keys.blind(account.id), kind: .refreshToken) {
                    if let credential = try record.content(keys).credential { found.insert(GrantKey(credential)) }
                }
            default: break
            }
        }
        return found
    }

    /// Lets accounts stay that hold more than goes as well: an account goes only with all that it holds.
    private func keepAccounts(
        _ plan: inout [PlannedUndo], _ surroundings: UndoSurroundings, overriding overrides: Bool
    ) throws {
        let going = Set(
            plan.compactMap { planned in
                if case .takeAway(let record) = planned.step { record.header.record } else { nil }
            })
        let staying = Set(plan.filter { !$0.step.takesAway }.map(\.item.value.content.key))
        for (index, planned) in plan.enumerated() where planned.step.takesAway {
            guard case .account(let account) = planned.item.value.content else { continue }
            let foreign = try surroundings.foreign ?? self.foreign()
            surroundings.foreign = foreign
            let others = foreign[account.id] ?? []
            let held = try records(.account, keys.blind(account.id)).filter { $0.header.kind.isOfItems }
            let isAlone =
                try !surroundings.changed(account.id, since: planned.item)
                && (held + others).allSatisfy { record in
                    guard record.header.kind != .account, !going.contains(record.header.record) else { return true }
                    // What was got for it silently is nobody's without it.
                    guard [.accessToken, .idToken].contains(record.header.kind) else { return false }
                    let body = try record.open(keys)
                    return try body.origin() == nil && !body.isChanged
                        && !staying.contains(ItemBody.decode(body, record.header.kind).key)
                }
            if !isAlone {
                (plan[index].step, plan[index].isOverriding) =
                    overrides ? (planned.step, true) : (.nothing(.changedSince), false)
            }
        }
    }

    /// The entries of other programs' files, by the accounts that they are about.
    private func foreign() throws -> [AccountID: [StoredRecord]] {
        if let manifest = try manifest(), manifest.count(of: .foreign) == 0 { return [:] }
        var found: [StoredRecord] = []
        try forEachRecord(kind: .foreign) { result in
            if let record = try? result.get() { found.append(record) }
        }
        var owned: [AccountID: [StoredRecord]] = [:]
        for record in found {
            let owner = try secret(record).withBytes { ForeignOwner(reading: $0)?.account }
            if let owner { owned[owner, default: []].append(record) }
        }
        return owned
    }

    /// Whether a newer refresh token of the same sign-in is, or was, in the place of the one that was there before.
    private func isReplaced(_ item: StoredItem<JournalItem>, _ step: UndoStep) throws -> Bool {
        if item.value.isReplaced { return true }
        // A sign-in that ended and came back is of another epoch, so what the command left is known from then.
        guard case .putBack(let current) = step, try !isLeft(current, item.value),
            let credential = item.value.content.credential, credential.kind == .refreshToken,
            item.value.former?.hasSecret ?? false, current.secretCommitment != nil
        else { return false }
        let now = try current.content(keys).credential?.grant ?? Grant()
        guard now.replaces(credential.grant ?? Grant()) else { return false }
        return try !secret(current).isEqual(to: secret(item.record))
    }

    private func step(for item: StoredItem<JournalItem>, besides going: Set<RecordID>) throws -> UndoStep {
        guard item.isAddition else { return try step(for: item.value, besides: going) }
        return item.value.added?.isChanged ?? false ? .nothing(.changedSince) : .takeAway(item.record)
    }

    /// What is done instead where what came later gives way; nil where nothing is.
    private func overriding(_ step: UndoStep, _ item: StoredItem<JournalItem>) throws -> UndoStep? {
        switch step {
        case .nothing(.changedSince), .nothing(.newer), .complete:
            if item.isAddition { return .takeAway(item.record) }
            guard let current = try record(holding: item.value.content) else { return .bringBack }
            return item.value.former == nil ? .takeAway(current) : .putBack(current)
        default: return nil
        }
    }

    private func step(for item: JournalItem, besides going: Set<RecordID>) throws -> UndoStep {
        if let act = JournalAct(item) {
            if act.lastingChange != nil { return .nothing(.lasting) }
            guard let body = item.former?.body, try SettingBody.decode(body, keys).writer != .group else {
                return .nothing(.notOwners)
            }
            return act == .tooMuch ? .nothing(.tooMuch) : .act(act)
        }
        if case .setting(let name, _) = item.content, name.hasPrefix(JournalEntry.reservedPrefix) {
            return .nothing(.notOwners)
        }
        let current = try record(holding: item.content)
        guard let former = item.former else {
            guard let current, item.left != nil else { return .nothing(.done) }
            // A sign-out that was repeated left the same mark again.
            let isMark = try current.secretCommitment == nil && grant(of: current)?.state == .signedOut
            return try isMark || isLeft(current, item) ? .takeAway(current) : .nothing(.newer)
        }
        guard let current else {
            if try isSuperseded(item, besides: going) { return .nothing(.newer) }
            // What the command left is gone by a later one; without the account it has no place anyway.
            guard item.left != nil else { return .bringBack }
            let isOfGone = try item.content.credential.map { try account($0.account) == nil } ?? false
            return isOfGone ? .bringBack : .nothing(.changedSince)
        }
        if try isLeft(current, item) { return .putBack(current) }
        if try isSame(current, item, former) { return .nothing(.done) }
        switch item.content {
        case .credential(let credential) where credential.kind == .refreshToken:
            let state = try grant(of: current)?.state
            let isEnded = current.secretCommitment == nil && state != .active
            // A later command has signed out what this one left.
            if isEnded, state == .signedOut, item.leavesSecret { return .nothing(.changedSince) }
            return try isEnded && former.hasSecret && !isSuperseded(item, besides: going)
                ? .putBack(current) : .nothing(.newer)
        case .account(let account):
            // It was taken away, and has come back without it.
            return try item.left == nil && account.label != nil && current.decode(keys, AccountBody.decode).label == nil
                && !isLabelTaken(account) ? .complete(current) : .nothing(.newer)
        default: return .nothing(.newer)
        }
    }

    /// Whether a record is as the command left it.
    private func isLeft(_ current: StoredRecord, _ item: JournalItem) throws -> Bool {
        if current.version == item.left { return true }
        return try item.leftDigest.map { try $0 == digest(of: current) } ?? false
    }

    /// Whether a newer token is there that does what the former one did, and that the same undo does not take away.
    private func isSuperseded(_ item: JournalItem, besides going: Set<RecordID>) throws -> Bool {
        guard let credential = item.content.credential else { return false }
        switch credential.kind {
        case .accessToken:
            return try records(.credential, keys.lookup(.credential(credential)))
                .filter { $0.header.kind == .accessToken && !going.contains($0.header.record) }
                .contains { try $0.content(keys).credential.map(credential.supersedes) ?? false }
        case .refreshToken:
            // Of a client that has joined a family since, or left it.
            return try records(of: keys.blind(credential.account), kind: .refreshToken).contains { record in
                guard record.secretCommitment != nil, !going.contains(record.header.record),
                    let other = try record.content(keys).credential
                else {
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

    /// Whether nothing is in a group that a run of a command made, nor was, so that nothing is lost with it.
    ///
    /// What an undo has taken away, somebody has said goodbye to.
    ///
    /// - Parameters:
    ///   - isOwnMeant: Whether what the run itself added to the group counts as nothing, with what was got for it silently.
    ///   - decidesNothing: Which settings Keyfob keeps for itself.
    package func isUnused(
        since entry: JournalEntry, butForOwn isOwnMeant: Bool = false, _ decidesNothing: (String) -> Bool
    ) throws -> Bool {
        var isUnused = true
        for kind in RecordHeader.Kind.allCases where isUnused && kind != .tombstone {
            try forEachRecord(kind: kind) { result throws(StorageFailure) in
                guard isUnused else { return }
                let record = try result.get()
                let body = isOwnMeant && kind != .journal ? try record.open(keys) : nil
                // What a later command has changed the run does not take away.
                let isChanged = body?.isChanged ?? false
                let origin = isChanged ? nil : body?.origin()?.entry
                switch kind {
                case .journal:
                    let kept = try record.decode(keys, JournalBody.decode)
                    isUnused = kept.entry == entry || kept.entry.isUndo || JournalAct(kept)?.lastingChange != nil
                case .setting:
                    let name = try record.decode(keys) { body throws(FieldList.Malformed) in
                        try NamedValueBody.decode(body).first
                    }
                    isUnused = origin == entry || decidesNothing(name)
                case .accessToken, .idToken: isUnused = isOwnMeant && !isChanged && (origin ?? entry) == entry
                default: isUnused = origin == entry
                }
            }
        }
        return isUnused
    }

    /// Whether another account of the group has the label of this one.
    func isLabelTaken(_ account: Account) throws -> Bool {
        guard let label = account.label else { return false }
        return try accounts(AccountLookup(label: keys.blind(label: label)))
            .contains { try $0.decode(keys, AccountBody.decode).id != account.id }
    }
}
