internal import Keyfob

// The calls of keyfob.h that undo what commands and programs have changed.

extension OpenKeyring {
    /// What can be undone, each a row, the newest first.
    func undoable(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        Answer(
            try keyring.undo.list(in: groups(options)).map { entry in
                [
                    "id": entry.id, "command": entry.command, "time": entry.time.rfc3339, "until": entry.until.rfc3339,
                    "groups": entry.groups.map(\.name).joined(separator: "\n"),
                    "accounts": entry.accountNames.joined(separator: "\n"),
                    "changes": entry.changesSomething ? "true" : "false", "isUndo": entry.isUndo ? "true" : "false",
                    "lasting": entry.lasting.isEmpty ? nil : entry.lasting.map(\.text).joined(separator: "\n"),
                ]
            })
    }

    /// Undoes an entry, or the newest that is no undo itself; each item is a row.
    func undo(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        let done = try keyring.undo.undo(options["id"], in: groups(options), overriding: options.flag("force"))
        return Answer(
            done.items.map { item in
                [
                    "id": done.id, "command": done.command, "undo": done.undoneBy, "group": item.group.name,
                    "kind": item.kind.rawValue, "account": item.account?.description, "clientID": item.clientID,
                    "text": item.text, "outcome": item.outcome.rawValue,
                ]
            })
    }
}
