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
        let backups = try BackupList.read(location)
        let restored = try keyring?.restoredGrants()
        if let keyring { global.tellWarnings(of: keyring) }
        let state = keyring == nil ? "locked" : keyring?.opensWholeVault == true ? "unlocked" : "group"
        if global.json {
            return try JSONOutput.print(
                StatusDocument(
                    vault: location.vault, id: id, state: state, isReadOnly: keyring?.isReadOnly,
                    groups: groups.map(GroupDocument.init),
                    slots: slots.map(SlotDocument.init),
                    backups: StatusDocument.Backups(backups),
                    restoredGrants: restored?.map(StatusDocument.RestoredGrant.init)))
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
        try StandardOutput.write(line: "backups \(BackupList.text(backups, now: WallClock.system.now))")
        if let restored, !restored.isEmpty {
            try StandardOutput.write(line: "warning \(RestoredGrantText.of(restored))")
        }
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
    let backups: Backups
    /// Nil while the vault is locked.
    let restoredGrants: [RestoredGrant]?

    /// The backups in the vault's folder.
    struct Backups: Encodable {
        let count: Int
        let newest: BackupListDocument.Backup?

        init(_ backups: [BackupList.Backup]) {
            count = backups.count
            newest = backups.first.map(BackupListDocument.Backup.init)
        }
    }

    /// A sign-in that came back from a backup.
    struct RestoredGrant: Encodable {
        let group: String
        let account: String
        let clientID: String

        init(_ grant: Keyring.RestoredGrant) {
            group = grant.group.name
            account = "\(grant.account)"
            clientID = grant.clientID
        }
    }
}
