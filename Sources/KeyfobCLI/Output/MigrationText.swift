internal import Keyfob
internal import KeyfobTerminal

/// What people read of a migration.
enum MigrationText {
    /// What the place is called.
    static func name(of place: StoragePlace) -> String {
        switch place {
        case .embedded: "Keyfob's own file"
        case .secretService: "the desktop's keyring (Secret Service)"
        }
    }

    private static let kinds = [
        ("ACCOUNTS", ["account"]), ("ACCESS", ["accessToken"]), ("REFRESH", ["refreshToken"]), ("ID", ["idToken"]),
        ("CLIENTS", ["appMetadata", "clientSecret"]), ("SETTINGS", ["setting"]),
        ("OTHER", ["foreign", "tombstone", "journal"]),
    ]

    /// Each group's records, by kind and by what is there already.
    static func table(_ report: Keyring.MigrationReport) -> String {
        let numbers = kinds.map(\.0) + ["NEW", "THERE", "CHANGED"]
        var table = Table(header: ["GROUP"] + numbers, usual: numbers.reduce(into: [:]) { $0[$1] = "0" })
        for group in report.groups {
            let counts = kinds.map { kind in "\(kind.1.reduce(0) { $0 + (group.counts[$1] ?? 0) })" }
            table.add([group.name.name] + counts + ["\(group.added)", "\(group.kept)", "\(group.replaced)"])
        }
        return table.text
    }

    /// What else there is to know, a line each.
    static func notes(_ report: Keyring.MigrationReport) -> [String] {
        var notes: [String] = []
        if report.removed > 0 {
            let verb = report.isDryRun ? "would be" : report.removed == 1 ? "was" : "were"
            notes.append("\(Quantity.of(report.removed, "item")) that the vault does not hold any more \(verb) removed")
        }
        if report.newer > 0 {
            let items = Quantity.of(report.newer, "item")
            notes.append(
                report.isDryRun
                    ? "without --force it would refuse: the desktop's keyring has \(items) newer than the vault"
                    : "overwrote \(items) newer than the vault in the desktop's keyring")
        }
        for grants in report.grants {
            let slots = Quantity.of(grants.count, "slot")
            let verb = grants.count == 1 ? "opens" : "open"
            let what =
                report.to == .secretService ? "nothing until the records are back in Keyfob's own file" : "it again"
            notes.append("\(slots) for group '\(grants.group)' alone \(verb) \(what)")
        }
        return notes
    }

    /// The doctor's findings about what migrations have left.
    ///
    /// - Parameter isRepairing: Whether to remove what one has left that was stopped.
    static func findings(
        of keyring: Keyring, isRepairing: Bool, _ secretService: SecretServiceOptions
    ) throws(KeyringError) -> [Finding] {
        var findings: [Finding] = []
        if isRepairing {
            do throws(KeyringError) {
                if try keyring.migration.removeUnfinished(secretService: secretService) {
                    findings.append(Finding("migration", .ok, "removed what a migration that was stopped had left"))
                }
            } catch {
                findings.append(Finding("migration", .warning, error.message, hint: error.hint))
            }
        }
        return findings + Self.findings(try keyring.migration.leftovers())
    }

    private static func findings(_ leftovers: [Keyring.MigrationLeftover]) -> [Finding] {
        leftovers.map { leftover in
            switch leftover {
            case .folder(let path):
                Finding(
                    "migration", .warning, "a migration was stopped and has left \(path)",
                    hint: "'keyfob migrate' again, or 'keyfob doctor --repair' to remove it")
            case .unfinishedItems:
                Finding(
                    "migration", .warning,
                    "a migration was stopped, and may have left items of this vault in the desktop's keyring",
                    hint: "'keyfob migrate --to secret-service' goes on; 'keyfob doctor --repair' removes them")
            case .keptItems:
                Finding(
                    "migration", .ok,
                    "the desktop's keyring still has the items from before ('keyfob migrate --remove-old' removes them)"
                )
            case .files(let files):
                Finding(
                    "migration", .ok,
                    "\(files.joined(separator: ", ")) from before ('keyfob migrate --remove-old' removes them)")
            }
        }
    }
}

/// What lies where the vault's records are not.
enum UnusedPlaceText {
    static func of(_ place: Keyring.UnusedPlace) -> String {
        var parts: [String] = []
        if place.items > 0 { parts.append("\(Quantity.of(place.items, "item")) of the desktop's keyring") }
        parts += place.files
        return parts.joined(separator: ", ")
    }
}

/// `Schemas/migration.schema.json`.
struct MigrationDocument: JSONDocument {
    struct Group: Encodable {
        let name: String
        let counts: [String: Int]
        let records: Int
        let added: Int
        let kept: Int
        let replaced: Int
    }

    struct Grants: Encodable {
        let group: String
        let slots: Int
    }

    struct Removed: Encodable {
        let items: Int
        let files: [String]

        init(_ place: Keyring.UnusedPlace) {
            items = place.items
            files = place.files
        }
    }

    let formatVersion = 1
    let vault: String
    let isDryRun: Bool
    private(set) var isMoved = false
    private(set) var from: String
    private(set) var to: String
    private(set) var records = 0
    private(set) var groups: [Group] = []
    private(set) var removedItems = 0
    private(set) var newerItems = 0
    private(set) var groupSlots: [Grants] = []
    var removed: Removed?

    init(vault: String, isDryRun: Bool, storage: StoragePlace) {
        self.vault = vault
        self.isDryRun = isDryRun
        (from, to) = (storage.rawValue, storage.rawValue)
    }

    /// Takes over what was moved.
    mutating func take(_ report: Keyring.MigrationReport) {
        from = report.from.rawValue
        to = report.to.rawValue
        isMoved = !report.isDryRun && !report.isThere
        records = report.records
        groups = report.groups.map {
            Group(
                name: $0.name.name, counts: $0.counts, records: $0.records, added: $0.added, kept: $0.kept,
                replaced: $0.replaced)
        }
        removedItems = report.removed
        newerItems = report.newer
        groupSlots = report.grants.map { Grants(group: $0.group.name, slots: $0.count) }
    }
}
