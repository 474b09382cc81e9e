internal import Keyfob
internal import KeyfobTerminal

/// What people read of what can be undone.
enum UndoText {
    /// Says by which command something comes back, and until when.
    static func offer(_ id: String, _ until: Timestamp, _ global: GlobalOptions) {
        global.say("until \(LocalTime.text(until)) this brings it back: \(global.typed("undo", id))")
    }

    /// Says that older entries made room.
    static func tellDisplaced(_ count: Int, _ global: GlobalOptions) {
        guard count > 0 else { return }
        let entries = Quantity.of(count, "older entry", "older entries")
        global.say("keyfob: warning: \(entries) made room for it, and cannot be undone any more")
    }

    /// The entries, the newest first.
    static func table(_ entries: [UndoEntry], _ global: GlobalOptions) -> String {
        var table = Table(
            header: ["ID", "WHEN", "COMMAND", "GROUP", "ACCOUNT", "UNDOING", "UNTIL"],
            yielding: ["GROUP", "UNTIL", "WHEN"], wrapping: ["ACCOUNT", "UNDOING"],
            usual: ["GROUP": AccessGroup.default.name])
        for entry in entries {
            table.add([
                entry.id, LocalTime.text(entry.time), entry.command, entry.groups.map(\.name).joined(separator: ", "),
                Quantity.list(entry.accountNames),
                effect(entry) ?? entry.lasting.last.map(LastingText.row) ?? nothing(entry, global),
                LocalTime.text(entry.until),
            ])
        }
        return table.text
    }

    /// That nothing comes back, why, and what is typed where it is wanted all the same.
    private static func nothing(_ entry: UndoEntry, _ global: GlobalOptions) -> String {
        let items = entry.items
        let changed =
            items.first { $0.outcome == .changedSince && $0.changedBy != nil }
            ?? items.first {
                $0.outcome == .changedSince
            }
        let reasons: [(UndoItem.Outcome, String)] = [
            (.newerIsThere, "newer is there"), (.accountIsGone, "its account is not there"),
            (.usedElsewhere, "another group has used the sign-in"),
            (.changedSince, changed.map { "\(thing($0)) was changed since\(by($0))" } ?? ""),
            (.replacedSince, "the sign-in has a newer token"),
            (.tooMuch, "it was too much to keep"), (.notOwners, "a key of the group alone noted it"),
            (.groupIsOutOfReach, "its group is out of reach"), (.inSync, "the group is in the sync"),
        ]
        let found = reasons.filter { outcome, _ in items.contains { $0.outcome == outcome } }.map(\.1)
        let yields = items.contains { item in
            item.outcome == .changedSince || item.outcome == .newerIsThere && item.kind != .group
        }
        return "nothing: " + (found.isEmpty ? "all is again as it was before" : Quantity.list(found))
            + (yields ? "; all the same: '\(global.typed("undo", entry.id, "--force"))'" : "")
    }

    /// What an item is, in a word or two.
    private static func thing(_ item: UndoItem) -> String {
        switch item.kind {
        case .account: "the account"
        case .label: "the label"
        case .refreshToken: "the sign-in"
        case .accessToken: "the access token"
        case .idToken: "the ID token"
        case .signedOut: "the sign-out"
        case .decision: item.isBinding ? "the binding" : "the setting"
        case .group: "the group"
        case .move: "the account"
        case .other: "a record"
        }
    }

    /// By which command something was changed; empty where that is not known.
    private static func by(_ item: UndoItem) -> String {
        item.changedBy.map { " by '\($0.command)' (\($0.id))" } ?? ""
    }

    /// What undoing an entry would do: one line.
    static func plan(_ entry: UndoEntry) -> String {
        guard !entry.isLasting else {
            return "'\(entry.command)' at \(LocalTime.text(entry.time)): \(LastingText.row(entry.lasting[0]))"
        }
        let groups = entry.groups.count == 1 ? "group" : "groups"
        let names = entry.groups.map(\.name).joined(separator: ", ")
        return "'\(entry.command)' at \(LocalTime.text(entry.time)): \(effect(entry) ?? "brings back nothing")"
            + "\(whose(entry)) (\(groups) \(names))"
    }

    /// Whose it is, where it is somebody's.
    static func whose(_ entry: UndoEntry) -> String {
        let decisions = entry.items.count { $0.kind == .decision }
        let isTold = entry.items.allSatisfy {
            $0.kind == .move || $0.kind == .group || decisions == 1 && told($0) != nil || setBackAccount([$0]) != nil
        }
        return isTold || entry.accountNames.isEmpty ? "" : " of \(Quantity.list(entry.accountNames))"
    }

    /// A decision in its own words, which name the account.
    private static func told(_ item: UndoItem, _ tense: Tense = .past) -> String? {
        guard item.kind == .decision else { return nil }
        let now = item.isSetBack && tense != .past ? item.decided?.accountName.map { "; now \($0)" } : nil
        return item.text.map { "1 \(item.isBinding ? "binding" : "setting") (\($0)\(now ?? ""))" }
    }

    /// What undoing would do; nil for nothing.
    ///
    /// - Parameter tense: How that is said: of what is done, of what would be, or of what was.
    static func effect(_ entry: UndoEntry, _ tense: Tense = .present) -> String? {
        var parts = entry.items.filter { $0.kind == .group || $0.kind == .move }.compactMap { act($0, tense) }
        let returning = entry.items.filter { $0.outcome == .returns }
        if let back = summary(returning.filter { !$0.isSetBack }, tense) {
            parts.append("\(tense.bringingBack) \(back)")
        }
        let setBack = returning.filter(\.isSetBack)
        if let back = setBackAccount(setBack) ?? summary(setBack, tense) {
            parts.append("\(tense.settingBack) \(back)")
        }
        // The note of a sign-out goes with what was signed out.
        let going = entry.items.filter { $0.outcome == .goes && ($0.kind != .signedOut || returning.isEmpty) }
        if let gone = summary(going, tense) { parts.append("\(tense.takingAway) \(gone)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The only account that is set back, by its name.
    private static func setBackAccount(_ items: [UndoItem]) -> String? {
        guard items.count == 1, items[0].kind == .account, items[0].isSetBack, items[0].outcome == .returns else {
            return nil
        }
        return items[0].accountName.map { "account \($0)" }
    }

    /// How an effect is said.
    enum Tense {
        case present, conditional, past

        var bringingBack: String {
            switch self {
            case .present: "brings back"
            case .conditional: "would bring back"
            case .past: "brought back"
            }
        }

        var settingBack: String {
            switch self {
            case .present: "sets back"
            case .conditional: "would set back"
            case .past: "set back"
            }
        }

        var movingBack: String {
            switch self {
            case .present: "moves"
            case .conditional: "would move"
            case .past: "moved"
            }
        }

        var takingAway: String {
            switch self {
            case .present: "takes away"
            case .conditional: "would take away"
            case .past: "took away"
            }
        }
    }

    private static func act(_ item: UndoItem, _ tense: Tense) -> String? {
        switch (item.kind, item.outcome) {
        case (.group, .returns): "\(tense.bringingBack) the name '\(item.text ?? "")' of group '\(item.group)'"
        case (.group, .goes): "\(tense.takingAway) group '\(item.group)'"
        case (.move, .returns):
            "\(tense.movingBack) \(item.accountName ?? "the account") back to group '\(item.text ?? "")'"
        default: nil
        }
    }

    /// What comes back, or goes, by kind; nil for nothing.
    private static func summary(_ items: [UndoItem], _ tense: Tense) -> String? {
        // A refresh token is what a person knows as a sign-in.
        let parts: [(UndoItem.Kind, isBinding: Bool, String, String?)] = [
            (.account, false, "account", nil), (.label, false, "label", nil), (.refreshToken, false, "sign-in", nil),
            (.accessToken, false, "access token", nil), (.idToken, false, "ID token", nil),
            (.decision, true, "binding", nil), (.decision, false, "setting", nil),
            (.signedOut, false, "note of a sign-out", "notes of sign-outs"), (.other, false, "record", nil),
        ]
        let words = parts.compactMap { kind, isBinding, one, several in
            let found = items.filter { $0.kind == kind && $0.isBinding == isBinding }
            if found.count == 1, let told = told(found[0], tense) { return told }
            return found.isEmpty ? nil : Quantity.of(found.count, one, several)
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// What came later and is lost by it, a line each.
    ///
    /// - Parameter told: What was told before; an item may have another name by now.
    static func losses(_ entry: UndoEntry, besides told: UndoEntry? = nil) -> [String] {
        let known = told?.items.filter(\.isOverriding) ?? []
        let new = entry.items.filter { item in
            item.isOverriding
                && !known.contains {
                    ($0.group, $0.kind, $0.account) == (item.group, item.kind, item.account)
                        && ($0.clientID, $0.scopes, $0.text) == (item.clientID, item.scopes, item.text)
                }
        }
        return new.map { item in
            item.kind == .group
                ? "lost by that: what is in group '\(item.group)'"
                : "lost by that: \(subject(item)) \(item.kind == .account && item.outcome == .goes ? "with all that it holds" : "as it is now")"
        }
    }

    /// What did not come back, and why, a line each.
    ///
    /// - Parameter listed: What else can be undone: an account may come back by that.
    static func obstacles(_ entry: UndoEntry, _ listed: [UndoEntry], _ global: GlobalOptions) -> [String] {
        let returning = Set(
            listed.flatMap(\.items).filter { $0.kind == .account && $0.outcome == .returns }
                .map { AccountInGroup(account: $0.account, group: $0.group) })
        return entry.items.compactMap { item in
            let what = subject(item)
            switch item.outcome {
            case .returns, .goes, .isThere: return nil
            case .newerIsThere:
                return item.kind == .group
                    ? "not undone: another group is called '\(item.text ?? "")'"
                    : "kept as it is: \(what) is there again, and newer"
            case .changedSince:
                return item.kind == .group
                    ? "not undone: group '\(item.group)' has been used or shared since"
                    : item.changedBy.map {
                        "kept as it is: '\($0.command)' (\($0.id)) has changed \(what), or added to it"
                    }
                        ?? "kept as it is: a later command has changed \(what), or added to it"
            case .replacedSince:
                return
                    "kept as it is: \(what), which the provider has replaced since: the one before it would end the sign-in"
            case .staysEmpty:
                return "kept as it is: group '\(item.group)', so that what was in it can come back; "
                    + "to take it away too, once more: \(global.typed("undo", entry.id))"
            case .inSync:
                return "not undone: other machines may use group '\(item.group)'; "
                    + "to remove it on all of them: \(global.typed("group", "remove", item.group.name))"
            case .tooMuch:
                return "not brought back: what it replaced and removed in group '\(item.group)' was more than 8 MiB, "
                    + "of which nothing is kept"
            case .notOwners: return "not undone: a key of group '\(item.group)' alone says that it was done"
            case .groupIsOutOfReach: return "not undone: \(what) takes both groups, and one is out of reach"
            case .accountIsGone:
                let comesBack = returning.contains(AccountInGroup(account: item.account, group: item.group))
                return "not brought back: \(what), since the account is not in group '\(item.group)'"
                    + (comesBack ? "; to see what brings that back: \(global.typed("undo", "--list"))" : "")
            case .usedElsewhere:
                return "not brought back: \(what): another group has used the sign-in since, and its provider may have "
                    + "replaced the token; to sign in again: \(global.typed("login"))"
            }
        }
    }

    /// What can be typed where something was not undone, a line each.
    ///
    /// - Parameters:
    ///   - listed: What can be undone, the newest first.
    ///   - forceHelps: Whether more is undone where what came later gives way.
    static func ways(
        _ entry: UndoEntry, _ listed: [UndoEntry], forceHelps: Bool, _ global: GlobalOptions
    ) -> [String] {
        var ways: [String] = []
        if forceHelps {
            let forced = global.typed("undo", entry.id, "--force")
            ways.append("to put back what was, and lose what came later: \(forced)")
        }
        guard !entry.changesSomething else { return ways }
        let older = listed.drop { $0.id != entry.id }.dropFirst().first { $0.changesSomething && !$0.isUndo }
        if let older {
            ways.append("to undo '\(older.command)' before it: \(global.typed("undo", older.id))")
        }
        return ways
    }

    private static func subject(_ item: UndoItem) -> String {
        let whose = item.accountName.map { " of \($0)" } ?? ""
        let client = item.clientID.map { " (client \($0))" } ?? ""
        switch item.kind {
        case .account: return "the account \(item.accountName ?? "")"
        case .label: return "the label\(whose)"
        case .refreshToken: return "the refresh token\(whose)\(client)"
        case .accessToken: return "the access token\(whose)\(client)"
        case .idToken: return "the ID token\(whose)\(client)"
        case .signedOut: return "the sign-out\(whose)\(client)"
        case .decision: return "what was decided (\(item.text ?? ""))"
        case .group: return "group '\(item.group)'"
        case .move: return "the move\(whose)"
        case .other: return "a record\(whose)"
        }
    }
}

/// An account, or nobody, in one group.
private struct AccountInGroup: Hashable {
    let account: AccountID?
    let group: AccessGroup
}

/// An entry in documents.
struct UndoEntryDocument: Encodable {
    let id: String
    let command: String
    let time: String
    let until: String
    let groups: [String]
    let items: [Item]
    /// What no undo takes back.
    let lasting: [Lasting]?

    /// What no undo takes back, and what takes its place.
    struct Lasting: Encodable {
        let kind: String
        let text: String
        let instead: String?
    }

    /// An item, and what undoing does with it.
    struct Item: Encodable {
        let group: String
        let kind: String
        let account: String?
        let clientID: String?
        let scopes: [String]
        let expiresOn: String?
        let text: String?
        let outcome: String
    }

    init(_ entry: UndoEntry) {
        (id, command) = (entry.id, entry.command)
        (time, until) = (entry.time.rfc3339, entry.until.rfc3339)
        groups = entry.groups.map(\.name)
        let changes = entry.lasting.map { change in
            Lasting(kind: change.kind.rawValue, text: change.text, instead: LastingText.instead(of: change))
        }
        lasting = changes.isEmpty ? nil : changes
        items = entry.items.map { item in
            Item(
                group: item.group.name, kind: item.kind.rawValue, account: item.account?.description,
                clientID: item.clientID, scopes: item.scopes.scopes, expiresOn: item.expiresOn.map(\.rfc3339),
                text: item.text, outcome: item.outcome.rawValue)
        }
    }
}

/// `Schemas/undo-list.schema.json`.
struct UndoListDocument: JSONDocument {
    let formatVersion = 1
    let entries: [UndoEntryDocument]
}

/// `Schemas/undone.schema.json`.
struct UndoneDocument: JSONDocument {
    let formatVersion = 1
    let isDryRun: Bool
    let entry: UndoEntryDocument
}
