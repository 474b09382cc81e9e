internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

// Where an account gets another id, what the journal keeps of it is the same account's: it comes back as that, and is forgotten
// with it.

extension GroupWriter {
    /// Lets what the journal keeps under ids that accounts had be theirs.
    ///
    /// That an account was there by such an id goes: it is there.
    ///
    /// - Parameter owners: Which ids these are, with the account of each.
    func carryJournal(_ owners: [AccountID: AccountID]) throws {
        guard !owners.isEmpty, try storage.mayHold(.journal) else { return }
        for kept in try reader.journal() {
            switch kept.value.content {
            case .account(let account) where owners[account.id] != nil: try delete(kept.record)
            case .credential(var credential):
                guard let owner = owners[credential.account] else { continue }
                credential.account = owner
                try rewrite(kept, holding: .credential(credential)) { $0 }
            default: continue
            }
        }
    }

    /// Changes settings that the journal keeps; whoever decided one is who has decided what it becomes.
    ///
    /// - Parameter changed: Name and value of what a setting becomes; nil where it stays as it is.
    package func carryJournaledSettings(_ changed: (Setting) -> (name: String, value: String)?) throws {
        guard try storage.mayHold(.journal) else { return }
        for kept in try reader.journal() {
            guard kept.value.kind == .setting, let body = kept.value.former?.body ?? kept.value.added,
                let setting = try? Setting(body, keys), let new = changed(setting)
            else { continue }
            // Who cannot tell whose it is leaves the owner's as it is.
            if setting.writer == .unknown, SettingBody.isMarked(body) { continue }
            let content = ItemContent.setting(name: new.name, value: new.value)
            try rewrite(kept, holding: content) { body in
                setting.writer == .owner ? SettingBody.signed(body, content, keys) : body
            }
        }
    }

    /// Lets the journal keep another content of an item, as if it had been that when it went.
    private func rewrite(
        _ kept: StoredItem<JournalItem>, holding content: ItemContent, _ signed: (FieldList) -> FieldList
    ) throws {
        let old = kept.value
        func body(_ former: FieldList) -> FieldList { signed(ItemBody.encode(content, replacing: former).body) }
        var item: JournalItem
        if let former = old.former {
            item = try JournalItem(
                old.entry, old.kind,
                former: JournalItem.Former(
                    body: body(former.body), flags: former.flags, secretCount: former.secretCount), left: old.left)
        } else {
            guard let added = old.added, let left = old.left else { return }
            item = try JournalItem(old.entry, old.kind, added: body(added), left: left)
        }
        (item.leavesSecret, item.isReplaced) = (old.leavesSecret, old.isReplaced)
        var header = header(succeeding: kept.record, RecordIndex())
        // When it went tells whether a sign-in was used elsewhere since.
        header.stamp = Stamp(milliseconds: 0, after: kept.record.header.stamp)
        let attributes = JournalBody.encode(item)
        if item.former?.hasSecret ?? false {
            try replace(
                kept.record, with: try keys.seal(header, attributes: attributes, secret: try reader.secret(kept.record))
            )
        } else {
            try replace(kept.record, with: try keys.seal(header, attributes: attributes))
        }
    }
}
