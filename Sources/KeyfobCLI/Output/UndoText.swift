internal import Keyfob
internal import KeyfobTerminal

/// What people read of what can be undone.
enum UndoText {
    /// Says by which command something comes back, and until when.
    static func offer(_ id: String, _ until: Timestamp, _ global: GlobalOptions) {
        global.say("to bring it back until \(LocalTime.text(until)): \(global.typed("undo", id))")
    }

    /// Says that older entries made room.
    static func tellDisplaced(_ count: Int, _ global: GlobalOptions) {
        guard count > 0 else { return }
        let entries = Quantity.of(count, "older entry", "older entries")
        global.say("keyfob: warning: \(entries) made room for it, and cannot be undone any more")
    }

    /// The entries, the newest first.
    static func table(_ entries: [UndoEntry]) -> String {
        var table = Table(
            header: ["ID", "WHEN", "COMMAND", "GROUP", "ACCOUNT", "BRINGS BACK", "UNTIL"],
            yielding: ["GROUP", "COMMAND", "UNTIL"], usual: ["GROUP": AccessGroup.default.name])
        for entry in entries {
            table.add([
                entry.id, LocalTime.text(entry.time), entry.command, entry.groups.map(\.name).joined(separator: ", "),
                Quantity.list(entry.accountNames), summary(entry.items) ?? nothing(entry.items),
                LocalTime.text(entry.until),
            ])
        }
        return table.text
    }

    /// That nothing comes back, and why.
    private static func nothing(_ items: [UndoItem]) -> String {
        let reasons: [(UndoItem.Outcome, String)] = [
            (.newerIsThere, "newer is there"), (.accountIsGone, "its account is not there"),
            (.usedElsewhere, "another group has used the sign-in"),
        ]
        let found = reasons.filter { outcome, _ in items.contains { $0.outcome == outcome } }.map(\.1)
        return "nothing: " + (found.isEmpty ? "all is there" : Quantity.list(found))
    }

    /// What undoing an entry would do: one line.
    static func plan(_ entry: UndoEntry) -> String {
        let groups = entry.groups.count == 1 ? "group" : "groups"
        let names = entry.groups.map(\.name).joined(separator: ", ")
        return
            "'\(entry.command)' at \(LocalTime.text(entry.time)): brings back \(summary(entry.items) ?? "nothing") of "
            + "\(Quantity.list(entry.accountNames)) (\(groups) \(names))"
    }

    /// What comes back, by kind; nil for nothing.
    static func summary(_ items: [UndoItem]) -> String? {
        let returning = items.filter { $0.outcome == .returns }
        let parts: [(UndoItem.Kind, String, String?)] = [
            (.account, "account", nil), (.refreshToken, "refresh token", nil), (.accessToken, "access token", nil),
            (.idToken, "ID token", nil), (.decision, "setting", nil),
            (.signedOut, "note of a sign-out", "notes of sign-outs"), (.other, "record", nil),
        ]
        let words = parts.compactMap { kind, one, several in
            let count = returning.count { $0.kind == kind }
            return count > 0 ? Quantity.of(count, one, several) : nil
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// What did not come back, and why, a line each.
    ///
    /// - Parameter listed: What else can be undone: an account may come back by that.
    static func obstacles(_ entry: UndoEntry, _ listed: [UndoEntry]) -> [String] {
        entry.items.compactMap { item in
            let what = subject(item)
            switch item.outcome {
            case .returns, .goes, .isThere: return nil
            case .newerIsThere: return "kept as it is: \(what) is there again, and newer"
            case .accountIsGone:
                let comesBack = listed.flatMap(\.items).contains {
                    $0.kind == .account && $0.outcome == .returns && $0.account == item.account
                        && $0.group == item.group
                }
                return "not brought back: \(what), since the account is not in group '\(item.group)'"
                    + (comesBack ? "; 'keyfob undo --list' shows what brings that back" : "")
            case .usedElsewhere:
                return "not brought back: \(what): another group has used the sign-in since, and its provider may have "
                    + "replaced the token; sign in again with 'keyfob login'"
            }
        }
    }

    private static func subject(_ item: UndoItem) -> String {
        let whose = item.accountName.map { " of \($0)" } ?? ""
        let client = item.clientID.map { " (client \($0))" } ?? ""
        switch item.kind {
        case .account: return "the account \(item.accountName ?? "")"
        case .refreshToken: return "the refresh token\(whose)\(client)"
        case .accessToken: return "the access token\(whose)\(client)"
        case .idToken: return "the ID token\(whose)\(client)"
        case .signedOut: return "the sign-out\(whose)\(client)"
        case .decision: return "what was decided (\(item.text ?? ""))"
        case .other: return "a record\(whose)"
        }
    }
}

/// An entry in documents.
struct UndoEntryDocument: Encodable {
    let id: String
    let command: String
    let time: String
    let until: String
    let groups: [String]
    let items: [Item]

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
