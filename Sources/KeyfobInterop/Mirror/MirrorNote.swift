package import KeyfobModel

/// What a pass of a mirror left behind, for the next one to tell what has changed since, on which side.
///
/// It holds digests and no secret. Whoever writes it decides only which entries a pass writes into the program's cache, takes
/// out of it or leaves alone there, and which of several items has that cache: nothing of the vault goes or comes by it.
package struct MirrorNote: Hashable, Sendable {
    /// The program's file, without links.
    package var file: String
    /// The attributes of the item of the desktop's keyring that holds the cache in the place of the file; none where the file does.
    package var item: [String: String] = [:]
    /// The name of the program as the mirror was asked for: `azure-cli` or `msal`.
    package var program: String
    /// The vault's id.
    package var vault: String
    /// The group.
    package var group: AccessGroup
    /// The clients whose tokens are mirrored.
    package var clients: [String] = []
    /// When the last pass ended.
    package var passedAt: Timestamp?
    /// What was on both sides then.
    package var traces: [MirrorDigest: Trace] = [:]
    /// The accounts that the mirror leaves out.
    package var leftOut: [LeftOut] = []
    /// The accounts that are in the file because the mirror wrote them.
    package var brought: Set<MirrorDigest> = []
    /// The entries of `azureProfile.json` that the mirror wrote.
    package var subscriptions: Set<MirrorDigest> = []
    /// What the pass that left this was about to write; nil where it has ended.
    package var underWay: UnderWay?

    /// What a pass is about to write, noted before it does, so that nobody who signs out in the program comes back where the
    /// pass was killed before its end.
    package struct UnderWay: Hashable, Sendable {
        /// What the file holds without it.
        package let former: MirrorDigest
        /// The accounts that it brings.
        package let brought: Set<MirrorDigest>
    }

    /// The note as it is kept before a pass writes over a file.
    ///
    /// - Parameters:
    ///   - content: What the file holds.
    ///   - accounts: Whom the pass brings.
    ///   - next: What it leaves when it ends; whom it leaves out stays out although it does not.
    package func before(
        writing content: RawSpan, for accounts: some Sequence<AccountID>, ending next: MirrorNote
    ) -> MirrorNote {
        var note = self
        note.leftOut += next.leftOut.filter { !leftOut.contains($0) }
        note.underWay = UnderWay(
            former: MirrorDigest(hashing: content), brought: Set(accounts.map { MirrorDigest($0) }))
        return note
    }

    /// What is known of an entry.
    package struct Trace: Hashable, Sendable {
        /// Whose it is.
        package var account: MirrorDigest?
        /// Of which client of theirs; nil for no token.
        package var owner: MirrorDigest?
        /// Whether it is a refresh token.
        package var isGrant: Bool
        /// What the file had.
        package var there: MirrorDigest?
        /// What the group had.
        package var here: MirrorDigest?
    }

    /// An account that is not mirrored.
    package struct LeftOut: Hashable, Sendable {
        /// Whose it is.
        package let account: AccountID
        /// What it is called.
        package let name: String
        /// Why.
        package let reason: Reason

        /// An account, and why it is left out.
        package init(account: AccountID, name: String, reason: Reason) {
            (self.account, self.name, self.reason) = (account, name, reason)
        }
    }

    /// Why an account is not mirrored.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The program signed it out.
        case signedOutThere
        /// It is signed out in the group, and the program has it from before.
        case signedOutHere
        /// It was removed from the group.
        case removedHere
    }

    /// A mirror that has not passed yet.
    package init(file: String, program: String, vault: String, group: AccessGroup) {
        (self.file, self.program, self.vault, self.group) = (file, program, vault, group)
    }
}

extension MirrorNote {
    private static let version = "keyfob-mirror 1"

    /// As it is kept: lines of words that are percent-encoded.
    package var text: String {
        var lines = [["file", file], ["program", program], ["vault", vault], ["group", group.name]]
        if let passedAt { lines.append(["passed", String(passedAt.seconds)]) }
        lines += item.sorted { $0.key < $1.key }.map { ["item", $0.key, $0.value] }
        lines += clients.map { ["client", $0] }
        lines += leftOut.map {
            ["left", $0.account.homeAccountID, $0.account.environment, $0.reason.rawValue, $0.name]
        }
        lines += brought.map { ["brought", $0.description] }.sorted { $0[1] < $1[1] }
        lines += subscriptions.map { ["subscription", $0.description] }.sorted { $0[1] < $1[1] }
        if let underWay {
            lines.append(["under-way", underWay.former.description])
            lines += underWay.brought.map { ["brings", $0.description] }.sorted { $0[1] < $1[1] }
        }
        lines += traces.sorted { $0.key.description < $1.key.description }.map { key, trace in
            let parts = [trace.account, trace.owner, trace.there, trace.here].map { $0?.description ?? "-" }
            return ["entry", key.description, trace.isGrant ? "grant" : "other"] + parts
        }
        let words = lines.map { $0.map { PercentEncoding.encode($0) }.joined(separator: " ") }
        return ([Self.version] + words).joined(separator: "\n") + "\n"
    }

    /// Reads a note; nil for what is none.
    package init?(text: String) {
        var lines = text.split(separator: "\n")[...]
        guard lines.popFirst() == Self.version[...] else { return nil }
        var values: [String: String] = [:]
        var others: [[String]] = []
        for line in lines {
            // An empty word is one, too.
            let words = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).compactMap {
                PercentEncoding.decode($0).flatMap { String(validating: $0, as: UTF8.self) }
            }
            if words.count == 2, ["file", "program", "vault", "group", "passed"].contains(words[0]) {
                values[words[0]] = words[1]
            } else {
                others.append(words)
            }
        }
        guard let file = values["file"], let program = values["program"], let vault = values["vault"],
            let group = values["group"].flatMap({ try? AccessGroup($0) })
        else { return nil }
        self.init(file: file, program: program, vault: vault, group: group)
        passedAt = values["passed"].flatMap { Int64($0) }.map(Timestamp.init(seconds:))
        for words in others { guard take(words) else { return nil } }
    }

    private mutating func take(_ words: [String]) -> Bool {
        switch (words.first, words.count) {
        case ("item", 3): item[words[1]] = words[2]
        case ("client", 2): clients.append(words[1])
        case ("brought", 2):
            guard let digest = MirrorDigest(written: words[1]) else { return false }
            brought.insert(digest)
        case ("under-way", 2):
            guard let digest = MirrorDigest(written: words[1]) else { return false }
            underWay = UnderWay(former: digest, brought: [])
        case ("brings", 2):
            guard let digest = MirrorDigest(written: words[1]), let begun = underWay else { return false }
            underWay = UnderWay(former: begun.former, brought: begun.brought.union([digest]))
        case ("subscription", 2):
            guard let digest = MirrorDigest(written: words[1]) else { return false }
            subscriptions.insert(digest)
        case ("left", 5):
            guard let id = AccountID(homeAccountID: words[1], environment: words[2]),
                let reason = Reason(rawValue: words[3])
            else { return false }
            leftOut.append(LeftOut(account: id, name: words[4], reason: reason))
        case ("entry", 7):
            guard let key = MirrorDigest(written: words[1]) else { return false }
            let parts = words[3...].map { MirrorDigest(written: $0) }
            traces[key] = Trace(
                account: parts[0], owner: parts[1], isGrant: words[2] == "grant", there: parts[2], here: parts[3])
        default: return false
        }
        return true
    }
}
