internal import KeyfobAge
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// An account that was moved on another machine takes along what this one has of it.

extension Keyring.Sync {
    /// An account that a device has moved from one group to another.
    struct AccountMove {
        let account: AccountID
        let source: SyncGroupTag
        let target: SyncGroupTag
    }

    /// The accounts that are gone from one file and new in another, by one device at one moment.
    ///
    /// Files that cannot be read are not looked at: whoever takes them in says why.
    func moves(
        in files: [SyncHead.GroupFile], of id: SyncDeviceID, _ folder: SyncFolder, _ identity: borrowing SyncIdentity
    ) -> [AccountMove] {
        struct Moment: Hashable {
            let key: ItemKey
            let device: UInt64
            let milliseconds: Int64

            init(_ item: ItemRecord) {
                (key, device) = (item.key, item.version.device)
                milliseconds = item.version.stamp.milliseconds
            }
        }
        var gone: [Moment: SyncGroupTag] = [:]
        var new: [Moment: (account: AccountID, group: SyncGroupTag)] = [:]
        for file in files {
            guard folder.size(of: file.name, id) == file.size, let age = identity.age(),
                let bundle = try? BundleFile(path: folder.file(file.name, of: id)),
                let verified = try? bundle.verify(.identities(age.text()), hash: file.hash, size: file.size)
            else { continue }
            try? bundle.read(verified) { item, _ in
                guard item.key.kind == .account else { return }
                if case .account(let account) = item.content {
                    new[Moment(item)] = (account.id, file.group)
                } else if item.isTombstone {
                    gone[Moment(item)] = file.group
                }
            }
        }
        return gone.compactMap { moment, source in
            new[moment].map { AccountMove(account: $0.account, source: source, target: $0.group) }
        }
    }

    /// Moves the tokens of an account here, which is in the other group by now.
    func follow(_ move: AccountMove, _ session: borrowing SyncSession) throws {
        let (source, target) = (session.state.groups[move.source]?.id, session.state.groups[move.target]?.id)
        try withVault { state in
            guard let from = state.vault.groups.first(where: { $0.keys.group == source }),
                let to = state.vault.groups.first(where: { $0.keys.group == target })
            else { return }
            try change(&state, [from, to]) { writers in
                guard try writers[0].hasAccount(move.account), try writers[1].hasAccount(move.account) else { return }
                try writers[1].takeCredentials(of: move.account, from: writers[0])
            }
        }
    }
}
