internal import KeyfobModel

extension MergePlan {
    /// One item before, as it comes in, and after.
    struct Sides {
        private let key: ItemKey
        private let before: GroupItems
        private let incoming: GroupItems
        private let after: GroupItems

        init(_ place: ItemPlace, before: KeyringState, incoming: KeyringState, after: KeyringState) {
            self.key = place.key
            self.before = before.groups[place.group] ?? GroupItems()
            self.incoming = incoming.groups[place.group] ?? GroupItems()
            self.after = after.groups[place.group] ?? GroupItems()
        }

        var outcome: MergeOutcome {
            switch (before.contains(key), after.contains(key)) {
            case (false, true): goesWithAccount ? .kept(.deletedHere) : .added
            case (true, false): .removed
            case (false, false): .kept(incoming.contains(key) ? .deletedHere : .deletedThere)
            case (true, true): key.kind == .grant ? ofGrant : ofItem
            }
        }

        /// The secret is to be stored where the result has one, and not the one that is here.
        var takesSecret: Bool {
            guard let secret = after.secret(of: key) else { return false }
            return secret != before.secret(of: key)
        }

        /// Whether it comes in signed in, and is signed out because its account is not here any more.
        private var goesWithAccount: Bool {
            guard let theirs = incoming.grants[key], let left = after.grants[key] else { return false }
            return theirs.grant.state != .signedOut && left.grant.state == .signedOut
        }

        private var ofItem: MergeOutcome {
            let (mine, theirs) = (before.items[key] ?? FieldItem(), after.items[key] ?? FieldItem())
            let names = Set(mine.fields.keys).union(theirs.fields.keys)
            let changed = names.filter { name in
                let nothing = Register(nil, ItemVersion(stamp: Stamp(value: 0), device: 0))
                return !(mine.fields[name] ?? nothing).hasSameContent(as: theirs.fields[name] ?? nothing)
            }
            return changed.isEmpty ? .kept(isSame ? .same : .newerHere) : .changed(changed.sorted())
        }

        private var ofGrant: MergeOutcome {
            guard let mine = before.grants[key], let theirs = after.grants[key] else { return .kept(.same) }
            let wasSignedOut = mine.grant.state == .signedOut
            if mine.hasSameContent(as: theirs) {
                return .kept(isSame ? .same : wasSignedOut ? .signedOutHere : .newerHere)
            }
            if theirs.grant.state == .signedOut, !wasSignedOut { return .removed }
            var fields: [FieldName] = []
            if mine.grant != theirs.grant { fields.append(.state) }
            if mine.secret != theirs.secret { fields.append(.token) }
            return .changed(fields.isEmpty ? [.content] : fields)
        }

        /// Whether what comes in says nothing else than what is here.
        private var isSame: Bool {
            if let mine = before.grants[key], let theirs = incoming.grants[key] {
                return mine.hasSameContent(as: theirs)
            }
            guard let mine = before.items[key], let theirs = incoming.items[key] else { return false }
            return theirs.fields.allSatisfy { name, register in
                mine.fields[name].map { $0.hasSameContent(as: register) } ?? (register.value == nil)
            } && !theirs.isDeleted
        }
    }
}
