package import KeyfobModel
internal import KeyfobSodium

/// What a pass of a mirror does: which entries of the program's file come into the group, which of the group go into the
/// file, and which are taken out of it.
///
/// Of two tokens that are for the same, the one that was stored later wins, on either side; of the same second, the one
/// that has changed since the last pass, and the file's where that does not tell: it is what the program uses. What was
/// signed out or removed in the group is taken out of the file, whatever the program has made of it meanwhile. What was
/// signed out in the file stays in the group: a file in plain text ends no sign-in.
package struct MirrorMerge {
    /// What a group has besides entries.
    package struct Group {
        /// Its accounts and tokens, as a cache.
        package let document: MSALDocument
        /// Every account.
        package let accounts: Set<MirrorDigest>
        /// Which client of which account is signed out.
        package let signedOut: Set<MirrorDigest>
        /// Whether some records do not open, so that what is missing may be there.
        package let isIncomplete: Bool

        package init(
            document: MSALDocument, accounts: Set<MirrorDigest>, signedOut: Set<MirrorDigest>, isIncomplete: Bool
        ) {
            (self.document, self.accounts, self.signedOut) = (document, accounts, signedOut)
            self.isIncomplete = isIncomplete
        }
    }

    /// A token that comes into the group.
    package struct TakenToken {
        /// Which.
        package let token: MSALCache.StoredCredential
        /// Its place in the file's entries.
        package let entry: Int
        /// Whether it wins although the group's is of the same second.
        package let isTie: Bool
    }

    /// The accounts that come into the group, or are brought up to date there.
    package private(set) var accounts: [Account] = []
    /// The tokens that come, refresh tokens first, older ones before newer ones.
    package private(set) var tokens: [TakenToken] = []
    /// What comes of the clients.
    package private(set) var metadata: [AppMetadata] = []
    /// Places of the group's entries that go into the file.
    package private(set) var additions: [Int] = []
    /// Places of the file's entries that are taken out.
    package private(set) var removals: Set<Int> = []
    /// The accounts that are signed out or gone in the group, and are taken out of the file.
    package private(set) var ended: [AccountID] = []
    /// The accounts that are left out since this pass.
    package private(set) var leftThere: [AccountID] = []
    /// The accounts that are not left out any more.
    package private(set) var returned: Set<AccountID> = []
    /// Tokens that are of a time that has not come yet.
    package private(set) var fromTheFuture = 0

    private let file: MSALDocument
    private let group: Group
    private let note: MirrorNote
    private let now: Timestamp
    private let isWanted: (AccountID) -> Bool
    private var endedAccounts: Set<MirrorDigest> = []
    private var endedOwners: Set<MirrorDigest> = []
    private var leftOut: Set<AccountID> = []

    /// Clocks differ by so many seconds.
    private static let leeway: Int64 = 300

    /// Merges a file with a group.
    ///
    /// - Parameters:
    ///   - note: What the last pass left.
    ///   - bringsBack: Whether accounts that were left out come back.
    ///   - isWanted: Whether an account is to be mirrored.
    package init(
        _ file: MSALDocument, _ group: Group, since note: MirrorNote, bringsBack: Bool, now: Timestamp,
        isWanted: @escaping (AccountID) -> Bool
    ) {
        (self.file, self.group, self.note, self.now, self.isWanted) = (file, group, note, now, isWanted)
        findEnded()
        findLeft(bringsBack)
        let (theirs, ours) = (Self.current(file), Self.current(group.document))
        for (key, index) in theirs { mergeToken(index, ours[key], key) }
        for (key, index) in ours where theirs[key] == nil { add(index, key) }
        takeAccounts(theirs)
        addProfiles(theirs, ours)
        tokens.sort { first, second in
            func order(_ taken: TakenToken) -> (Int, Int64, Int) {
                let credential = taken.token.credential
                return (credential.kind == .refreshToken ? 0 : 1, credential.storedAt?.seconds ?? 0, taken.entry)
            }
            return order(first) < order(second)
        }
        additions.sort()
    }

    /// The places of what counts, by key.
    private static func current(_ document: MSALDocument) -> [MirrorDigest: Int] {
        Dictionary(
            document.entries.indices.filter { !document.entries[$0].isSuperseded }.map {
                (document.entries[$0].key, $0)
            }
        ) { first, _ in first }
    }

    private func isLeft(_ account: AccountID) -> Bool {
        !isWanted(account) || leftOut.contains(account) || endedAccounts.contains(MirrorDigest(account))
    }
}

extension MirrorMerge {
    /// What was in the group after the last pass and is signed out or gone by now.
    private mutating func findEnded() {
        guard !group.isIncomplete else { return }
        let traces = note.traces.values.filter { $0.here != nil }
        endedAccounts = Set(traces.compactMap(\.account)).subtracting(group.accounts)
        endedOwners = Set(traces.filter(\.isGrant).compactMap(\.owner)).intersection(group.signedOut)
        var ended: Set<AccountID> = []
        for (index, entry) in file.entries.enumerated() {
            guard let account = entry.account, isWanted(account), isEnded(entry) else { continue }
            removals.insert(index)
            ended.insert(account)
        }
        // An account of which nothing is left but its name goes as a whole.
        for account in ended {
            let rest = file.entries.indices.filter { file.entries[$0].account == account && !removals.contains($0) }
            if rest.allSatisfy({ file.entries[$0].isProfile }) { removals.formUnion(rest) }
        }
        self.ended = ended.sorted()
    }

    private func isEnded(_ entry: MSALDocument.Entry) -> Bool {
        guard let account = entry.account else { return false }
        if endedAccounts.contains(MirrorDigest(account)) { return true }
        guard let token = entry.token else { return false }
        return endedOwners.contains(MirrorDigest(account, clientID: token.credential.clientID))
    }

    /// Which accounts the program has signed out since the last pass, and which it has signed in again.
    private mutating func findLeft(_ bringsBack: Bool) {
        let listed = Set(file.entries.filter(\.isProfile).compactMap(\.account))
        let present = Set(file.entries.compactMap(\.account))
        for left in note.leftOut where left.reason == .signedOutThere && isWanted(left.account) {
            // A refresh that was under way leaves tokens behind, but lists no account.
            if bringsBack || listed.contains(left.account) {
                returned.insert(left.account)
            } else {
                leftOut.insert(left.account)
            }
        }
        let traces = note.traces.values.filter { $0.there != nil }
        // Of a pass that was killed: a file that is not what it was before has what the pass brought, or had it.
        let brought = note.underWay.flatMap { $0.former == file.digest ? nil : $0.brought } ?? []
        let wereListed = brought.union(traces.filter { $0.owner == nil }.compactMap(\.account))
        let werePresent = Set(traces.compactMap(\.account))
        for account in Set(group.document.entries.compactMap(\.account)).sorted() where isWanted(account) {
            let digest = MirrorDigest(account)
            guard !endedAccounts.contains(digest), !leftOut.contains(account), !returned.contains(account) else {
                continue
            }
            let isGone =
                wereListed.contains(digest)
                ? !listed.contains(account) : werePresent.contains(digest) && !present.contains(account)
            guard isGone else { continue }
            if bringsBack {
                returned.insert(account)
            } else {
                leftOut.insert(account)
                leftThere.append(account)
            }
        }
    }

    /// What becomes of an entry of the file that is a token, or of a client.
    private mutating func mergeToken(_ index: Int, _ other: Int?, _ key: MirrorDigest) {
        let entry = file.entries[index]
        let trace = note.traces[key]
        let hasChangedThere = trace?.there != entry.digest
        if case .client(let client) = entry.content {
            if other == nil, hasChangedThere { metadata.append(client) }
            return
        }
        guard let token = entry.token, !removals.contains(index), !isLeft(token.credential.account),
            token.credential.partition.isEmpty
        else { return }
        let credential = token.credential
        if let storedAt = credential.storedAt, storedAt > now.advanced(by: Self.leeway) {
            fromTheFuture += 1
            return
        }
        guard let other else {
            if hasChangedThere, isOfUse(credential) { take(token, index, isTie: false) }
            return
        }
        let ours = group.document.entries[other]
        guard ours.digest != entry.digest, let mine = ours.token?.credential else { return }
        if let there = credential.storedAt, let here = mine.storedAt, there != here {
            if there > here { take(token, index, isTie: false) } else { write(other) }
        } else if hasChangedThere {
            take(token, index, isTie: true)
        } else if trace?.here != ours.digest {
            write(other)
        }
    }

    private mutating func take(_ token: MSALCache.StoredCredential, _ index: Int, isTie: Bool) {
        guard isOfUse(token.credential) else { return }
        tokens.append(TakenToken(token: token, entry: index, isTie: isTie))
    }

    private mutating func write(_ index: Int) {
        guard let credential = group.document.entries[index].token?.credential, isOfUse(credential) else { return }
        additions.append(index)
    }

    /// Whether a token is more than what was left of one.
    private func isOfUse(_ credential: Credential) -> Bool {
        guard credential.kind == .accessToken, let end = credential.expiresOn else { return true }
        return end > now
    }

    /// What becomes of an entry of the group that the file does not have.
    private mutating func add(_ index: Int, _ key: MirrorDigest) {
        let entry = group.document.entries[index]
        let trace = note.traces[key]
        switch entry.content {
        case .profile: return
        case .client(let client):
            guard trace?.there == nil else { return }
            if group.document.entries.contains(where: { $0.token?.credential.clientID == client.clientID }) {
                additions.append(index)
            }
        case .token(let token):
            guard !isLeft(token.credential.account) else { return }
            // What the program took out alone, as one that has expired, stays out until there is another.
            let isNew =
                trace?.there == nil || trace?.here != entry.digest || returned.contains(token.credential.account)
            if isNew { write(index) }
        }
    }

    /// Which accounts of the file come along.
    private mutating func takeAccounts(_ theirs: [MirrorDigest: Int]) {
        let withTokens = Set(tokens.map(\.token.credential.account))
        let changed = Set(
            theirs.compactMap { key, index in
                let entry = file.entries[index]
                return entry.isProfile && note.traces[key]?.there != entry.digest ? entry.account : nil
            })
        accounts = file.cache.accounts.filter {
            !isLeft($0.id) && (withTokens.contains($0.id) || changed.contains($0.id))
        }
    }

    /// The group's profiles of accounts that have tokens in the file.
    private mutating func addProfiles(_ theirs: [MirrorDigest: Int], _ ours: [MirrorDigest: Int]) {
        let written = Set(additions.compactMap { group.document.entries[$0].account })
        let kept = file.entries.indices.filter { !removals.contains($0) && file.entries[$0].token != nil }
        let present = written.union(kept.compactMap { file.entries[$0].account })
        for (key, index) in ours where theirs[key] == nil {
            let entry = group.document.entries[index]
            guard entry.isProfile, let account = entry.account, present.contains(account), !isLeft(account) else {
                continue
            }
            if note.traces[key]?.there == nil || returned.contains(account) { additions.append(index) }
        }
    }
}

extension MirrorMerge {
    /// What the next pass has to know.
    ///
    /// - Parameters:
    ///   - refused: Accounts that the group does not take, and why.
    ///   - kept: Places in the file's entries of tokens that the group has not taken.
    package func succeeding(
        refusing refused: [MirrorNote.LeftOut], keeping kept: Set<Int>, named: (AccountID) -> String
    ) -> MirrorNote {
        var next = note
        next.underWay = nil
        let away = Set(refused.map(\.account))
        let others = note.leftOut.filter { left in
            !isWanted(left.account) || (left.reason == .signedOutThere && leftOut.contains(left.account))
        }
        next.leftOut =
            (others + refused
            + leftThere.map { MirrorNote.LeftOut(account: $0, name: named($0), reason: .signedOutThere) })
            .sorted { $0.account < $1.account }
        let accounts = Set((file.entries + group.document.entries).compactMap(\.account))
        let seen = Set(accounts.filter(isWanted).map { MirrorDigest($0) })
        // What this pass has not looked at stays as it was.
        let present = Set(file.entries.compactMap(\.account).map { MirrorDigest($0) })
        next.traces = note.traces.filter { _, trace in
            guard let account = trace.account, !seen.contains(account) else { return false }
            let isEnded = endedAccounts.contains(account) || trace.owner.map(endedOwners.contains) ?? false
            return !isEnded || present.contains(account)
        }
        let (theirs, ours) = (Self.current(file), Self.current(group.document))
        let (taken, added) = (Set(tokens.map(\.entry)), Set(additions))
        var written: Set<MirrorDigest> = []
        for key in Set(theirs.keys).union(ours.keys) {
            let (mine, other) = (theirs[key], ours[key])
            guard let entry = mine.map({ file.entries[$0] }) ?? other.map({ group.document.entries[$0] }) else {
                continue
            }
            if let account = entry.account, isLeft(account) || away.contains(account) { continue }
            let isWritten = other.map(added.contains) ?? false
            let isRemoved = mine.map(removals.contains) ?? false
            let there =
                isWritten
                ? other.map { group.document.entries[$0].digest }
                : isRemoved ? nil : mine.map { file.entries[$0].digest }
            let isTaken = mine.map { taken.contains($0) && !kept.contains($0) } ?? false
            let isNewProfile = entry.isProfile && other == nil && !isRemoved
            let here =
                isTaken || isNewProfile
                ? mine.map { file.entries[$0].digest } : other.map { group.document.entries[$0].digest }
            guard there != nil || here != nil else { continue }
            let account = entry.account.map { MirrorDigest($0) }
            next.traces[key] = MirrorNote.Trace(
                account: account,
                owner: entry.token.map { MirrorDigest($0.credential.account, clientID: $0.credential.clientID) },
                isGrant: entry.token?.credential.kind == .refreshToken, there: there, here: here)
            if isWritten, let account { written.insert(account) }
        }
        let stillThere = Set(next.traces.values.compactMap { $0.there == nil ? nil : $0.account })
        next.brought = note.brought.union(written.subtracting(present)).intersection(stillThere)
        next.passedAt = now
        return next
    }
}
