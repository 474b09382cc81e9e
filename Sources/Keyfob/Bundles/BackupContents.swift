internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

/// What a backup, an export or a vault holds, as far as two of them can be compared in words; no token is kept of it.
public struct BackupContents: Sendable {
    /// The bundle that it was read from; nil for a vault.
    public let source: BundleSummary?
    private var groups: Set<AccessGroup>
    private var items: [ItemPlace: Item] = [:]
    /// The clients that have a token, with their group and account.
    private var clients: Set<[String]> = []
    /// Which sign-outs a sign-in has followed, as far as this vault knows: the epoch that each has ended.
    private var followed: [ItemPlace: UInt64] = [:]
    /// The same of the sign-outs that are told.
    private var ended: [ItemPlace: UInt64] = [:]

    /// What is compared of an item.
    private struct Item: Hashable, Sendable {
        /// What it is, without what each refresh changes.
        var content: ItemContent
        var secret: SecretDigest?
    }

    /// What a person would call different.
    public struct Change: Hashable, Sendable, CustomStringConvertible {
        /// `added`, `removed` or `changed`.
        public let outcome: Outcome
        /// `group`, `account`, `label`, `name`, `signIn`, `token`, `decision` or `other`.
        public let kind: Kind
        /// The group it is in, or that it is.
        public let group: AccessGroup
        /// What it is, in words.
        public let text: String

        /// What became of it.
        public enum Outcome: String, Hashable, Sendable {
            case added, removed, changed
        }

        /// What it is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case group, account, label, name, signIn, token, decision, other
        }

        /// One line for people.
        public var description: String {
            kind == .group ? "\(outcome.rawValue): \(text)" : "\(outcome.rawValue): \(text) (group '\(group)')"
        }
    }

    fileprivate init(_ source: BundleSummary?, _ groups: [AccessGroup]) {
        self.source = source
        self.groups = Set(groups)
    }

    /// Takes an item in, unless it is of no interest: gone, or made again by each refresh.
    fileprivate mutating func take(_ record: ItemRecord, _ digest: SecretDigest?) {
        var content = record.content
        switch content {
        // Who is gone shows by what is not there any more.
        case .tombstone, .setting(_, nil), .setting(FormerAccount.setting, _): return
        case .credential(let credential):
            if credential.kind != .refreshToken || digest != nil { clients.insert(Self.client(of: record.place)) }
            if let grant = credential.grant, grant.state == .signedOut { ended[record.place] = grant.latestEnded }
            guard credential.kind == .refreshToken || credential.kind == .accessToken && credential.expiresOn == nil
            else { return }
            var plain = Credential(
                kind: credential.kind, account: credential.account, clientID: credential.clientID,
                familyID: credential.familyID)
            if let state = credential.grant?.state { plain.grant = Grant(state: state) }
            content = .credential(plain)
        default: break
        }
        items[record.place] = Item(content: content, secret: digest)
    }

    /// Takes note of a sign-out that nobody sees any more in the vault.
    fileprivate mutating func takeFollowed(_ record: ItemRecord) {
        guard let grant = record.content.credential?.grant, grant.state == .signedOut else { return }
        followed[record.place] = grant.latestEnded
    }

    private static func client(of place: ItemPlace) -> [String] { [place.group.name] + place.key.parts.prefix(2) }

    /// Takes away what is left of sign-ins whose account was removed, and of sign-outs that a sign-in has followed.
    fileprivate mutating func end() {
        let accounts = Set(items.keys.filter { $0.key.kind == .account })
        items = items.filter { place, item in
            guard item.content.credential?.grant?.state == .signedOut, let account = place.key.account else {
                return true
            }
            return accounts.contains(ItemPlace(place.group, ItemKey(.account, [account])))
                && !clients.contains(Self.client(of: place))
        }
    }

    /// What a sign-out that `other` tells, and this side does not, says of a client; nil where another rule does.
    ///
    /// - Parameter words: What it says where this side has a token of the client.
    private func changes(
        besideSignOut place: ItemPlace, of other: BackupContents, _ words: String, _ names: Names
    ) -> [Change]? {
        guard items[place] == nil, let mark = other.items[place],
            mark.content.credential?.grant?.state == .signedOut
        else { return nil }
        guard clients.contains(Self.client(of: place)) else {
            return (followed[place] ?? 0) >= (other.ended[place] ?? 1) ? [] : nil
        }
        let (kind, text) = Self.words(place, mark.content, names)
        return [Change(outcome: .changed, kind: kind, group: place.group, text: "\(text), \(words)")]
    }

    /// What stands for a secret here; it never leaves the process.
    fileprivate static func digest(of secret: borrowing SecretBytes) -> SecretDigest {
        BLAKE2b.hash(Array("keyfob compare v1".utf8), count: 32).withBytes { key in
            let key = SecretBytes(copying: key)
            return SecretDigest(of: secret, key: key)
        }
    }

    /// What is different in `later`, group by group, accounts first.
    public func changes(to later: BackupContents) -> [Change] {
        var changes: [Change] = []
        let names = Names(items.values.map(\.content) + later.items.values.map(\.content))
        for group in groups.union(later.groups).sorted() {
            let (before, after) = (groups.contains(group), later.groups.contains(group))
            guard before != after else { continue }
            changes.append(
                Change(outcome: after ? .added : .removed, kind: .group, group: group, text: "group '\(group)'"))
        }
        for place in Set(items.keys).union(later.items.keys).sorted() {
            changes +=
                later.changes(besideSignOut: place, of: self, "signed in again", names)
                ?? self.changes(besideSignOut: place, of: later, "signed out", names)
                ?? Self.changes(place, items[place], later.items[place], names)
        }
        return changes
    }

    private static func changes(_ place: ItemPlace, _ old: Item?, _ new: Item?, _ names: Names) -> [Change] {
        guard old != new, let shown = new ?? old else { return [] }
        let (kind, text) = words(place, shown.content, names)
        func change(_ outcome: Change.Outcome, _ kind: Change.Kind, _ text: String) -> Change {
            Change(outcome: outcome, kind: kind, group: place.group, text: text)
        }
        guard let old, let new else { return [change(old == nil ? .added : .removed, kind, text)] }
        switch (old.content, new.content) {
        case (.account(let before), .account(let after)):
            var changes: [Change] = []
            if before.label != after.label {
                let labels = [before.label, after.label].map { $0.map { "'\($0)'" } ?? "none" }
                changes.append(
                    change(
                        .changed, .label,
                        "label of \(names.name(of: after.id)): \(labels[0]) before, \(labels[1]) after"))
            }
            if (before.username, before.displayName) != (after.username, after.displayName) {
                changes.append(
                    change(
                        .changed, .name,
                        "name of \(names.name(of: after.id)): '\(before.name)' before, '\(after.name)' after"))
            }
            return changes.isEmpty ? [change(.changed, kind, text + ", in its profiles")] : changes
        case (.credential(let before), .credential(let after)) where before.grant?.state != after.grant?.state:
            let words =
                switch after.grant?.state {
                case .signedOut: "signed out"
                case .needsSignIn(let reason): "needs a sign-in: \(reason)"
                case .active, nil: "signed in again"
                }
            return [change(.changed, kind, "\(text), \(words)")]
        case (.credential, .credential): return [change(.changed, kind, "\(text), another token")]
        default: return [change(.changed, kind, text)]
        }
    }

    /// What people call the accounts: the user name, behind the id where that is not enough.
    private struct Names {
        private var names: [String: String] = [:]

        init(_ contents: [ItemContent]) {
            var users: [AccountID: String] = [:]
            for case .account(let account) in contents {
                users[account.id] = account.username
            }
            let count = Dictionary(grouping: users.values, by: Identifier.foldedName).mapValues(\.count)
            for (id, user) in users where !user.isEmpty {
                // What reads as another account's id would be taken for that one.
                let isOthers = AccountID(user).map { $0.environment != id.environment } ?? false
                let isEnough = count[Identifier.foldedName(user)] == 1 && !isOthers
                names[id.canonical] = isEnough ? user : "\(id) (\(user))"
            }
        }

        func name(of id: AccountID) -> String { names[id.canonical] ?? id.description }

        /// A text with names in the place of ids.
        func text(_ text: String) -> String {
            text.split(separator: " ", omittingEmptySubsequences: false)
                .map { word in AccountID(String(word)).flatMap { names[$0.canonical] } ?? String(word) }
                .joined(separator: " ")
        }
    }

    private static func words(
        _ place: ItemPlace, _ content: ItemContent, _ names: Names
    ) -> (Change.Kind, String) {
        switch content {
        case .account(let account): return (.account, "account \(names.name(of: account.id))")
        case .credential(let credential):
            let name = names.name(of: credential.account)
            return credential.kind == .refreshToken
                ? (.signIn, "sign-in of \(name) with client \(credential.clientID)")
                : (.token, "token of \(name) that does not expire")
        case .setting(let name, let value?):
            guard DecisionKinds(place.key) != nil else { return (.other, place.key.description) }
            return (.decision, names.text(GroupDecision(Setting(name, value, by: .owner), in: place.group).text))
        case .clientSecret: return (.decision, place.key.description)
        default: return (.other, place.key.description)
        }
    }
}

extension Keyring.Bundles {
    /// What a backup or an export holds, to compare it.
    ///
    /// - Parameter keyring: The keyring that it may be of; its key, too, shows who made a backup.
    /// - Throws: as ``verifyBackup(_:with:of:)``.
    public static func contents(
        of file: borrowing BundleFile, with opener: borrowing BundleOpener, of keyring: Keyring? = nil
    ) throws(KeyringError) -> BackupContents {
        let verified = try file.verify(opener, for: [.backup, .export])
        let (manifest, isOwners) = (verified.bundle.manifest, verified.bundle.isOwners(by: opener, keyring))
        var contents = BackupContents(BundleSummary(manifest, isOwners: isOwners), manifest.groups)
        do {
            try file.read(verified) { record, secret in
                var digest: SecretDigest?
                if let secret { digest = BackupContents.digest(of: secret) }
                contents.take(record, digest)
            }
        } catch {
            throw KeyringError(error)
        }
        contents.end()
        return contents
    }

    /// What the vault holds, to compare it with a backup.
    ///
    /// - Throws: `needsVaultKey`, `damaged`, `incomplete` where not all of it opens.
    public func contents() throws(KeyringError) -> BackupContents {
        try withState { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            try database.refresh(&state.vault)
            var contents = BackupContents(nil, state.vault.groups.map(\.name))
            for group in state.vault.groups {
                let isWhole = try database.forEachItem(in: group) { result, secrets in
                    let found = try result.get()
                    guard !found.record.isTombstone else { return contents.takeFollowed(found.item) }
                    contents.take(
                        found.item,
                        found.hasSecret ? BackupContents.digest(of: try secrets.secret(of: found)) : nil)
                }
                guard isWhole else { throw StoreError.incomplete(group: group.keys.group) }
            }
            contents.end()
            return contents
        }
    }
}

extension Keyring.Bundles {
    /// What the vault's backups hold that the vault does not hold any more.
    ///
    /// Those that the opener does not open, or that are not this vault's owner's, are passed over.
    ///
    /// - Throws: `inputOutput` where the folder of backups cannot be read, and what reading the vault can throw.
    public func holdings(with opener: borrowing BundleOpener) throws(KeyringError) -> BackupHoldings {
        var holdings = BackupHoldings()
        let known = try withState { state in
            var known: [AccessGroup: Set<ItemKey>] = [:]
            for group in state.vault.groups {
                var keys: Set<ItemKey> = []
                _ = try? database.forEachItem(in: group) { result, _ in
                    if let item = try? result.get().item { keys.insert(item.key) }
                }
                known[group.name] = keys
            }
            return known
        }
        for backup in try BackupFile.all(at: location) {
            guard let file = try? BundleFile(path: backup.path),
                let verified = try? file.verify(opener, for: [.backup]),
                verified.bundle.isOwners(by: opener, keyring),
                Hexadecimal.text(verified.bundle.manifest.vault) == keyring.vaultID
            else { continue }
            try? file.read(verified) { record, _ in
                guard let keys = known[record.group], !keys.contains(record.key), !record.isTombstone else { return }
                holdings.add(record, of: backup)
            }
        }
        return holdings
    }
}
