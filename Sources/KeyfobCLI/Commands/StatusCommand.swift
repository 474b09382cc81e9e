internal import ArgumentParser
internal import Keyfob

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is there, and whether it is unlocked.",
        discussion: """
            Asks nothing: without a key file or an unlocked session it says only where the vault is.

            Example:
              keyfob status --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let location = try global.location()
        let id = try LockedKeyring(at: location).vaultID
        let keyring = try global.keyringUnlockedWithoutAsking()
        let groups = try keyring?.groups() ?? []
        let slots = try keyring?.slots() ?? []
        if let keyring { global.tellWarnings(of: keyring) }
        let state = keyring == nil ? "locked" : keyring?.opensWholeVault == true ? "unlocked" : "group"
        if global.json {
            return try JSONOutput.print(
                StatusDocument(
                    vault: location.vault, id: id, state: state, isReadOnly: keyring?.isReadOnly,
                    groups: groups.map(GroupDocument.init),
                    slots: slots.map(SlotDocument.init)))
        }
        try StandardOutput.write(line: "vault   \(location.vault)")
        try StandardOutput.write(line: "id      \(id)")
        let words =
            switch state {
            case "unlocked": "unlocked"
            case "group": "unlocked for one group"
            default: "locked ('keyfob unlock' opens it for this session)"
            }
        let limit = keyring?.isReadOnly == true ? ", to be read only: a newer Keyfob wrote it" : ""
        try StandardOutput.write(line: "state   \(words)\(limit)")
        guard keyring != nil else { return }
        try StandardOutput.write(text: "\n" + GroupListCommand.table(groups) + "\n" + SlotListCommand.table(slots))
    }
}

/// `Schemas/status.schema.json`.
struct StatusDocument: JSONDocument {
    let formatVersion = 1
    let vault: String
    let id: String
    let state: String
    /// Nil while the vault is locked.
    let isReadOnly: Bool?
    let groups: [GroupDocument]
    let slots: [SlotDocument]
}
