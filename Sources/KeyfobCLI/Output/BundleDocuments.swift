internal import Keyfob

/// What a bundle is, in documents: `Schemas/backup.schema.json#/$defs/bundle`.
struct BundleDocument: Encodable {
    let purpose: String
    let vault: String
    let device: String
    let created: String
    let groups: [String]
    let counts: [String: Int]
    let records: Int
    /// Whether a backup is its owner's; nil for other bundles.
    let isOwners: Bool?

    init(_ summary: BundleSummary) {
        isOwners = summary.purpose == "backup" ? summary.isOwners : nil
        purpose = summary.purpose
        vault = summary.vault
        device = summary.device
        created = summary.created.rfc3339
        groups = summary.groups.map(\.name)
        counts = summary.counts
        records = summary.records
    }
}

/// What taking a bundle in did, or would do: `Schemas/import.schema.json#/$defs/plan`.
struct PlanDocument: Encodable {
    struct Item: Encodable {
        let group: String
        let kind: String
        let item: String
        let outcome: String
        let reason: String?
        let fields: [String]
    }

    struct Conflict: Encodable {
        let name: String
        let text: String
    }

    let mode: String
    let bundle: BundleDocument
    let counts: [String: Int]
    let items: [Item]
    /// How many items there are besides.
    let moreItems: Int?
    let conflicts: [Conflict]
    let moreConflicts: Int?
    let newGroups: [String]
    let keptGroups: [String]
    let backup: String?
    let travels: Bool

    init(_ plan: ImportPlan) {
        mode = plan.mode.rawValue
        bundle = BundleDocument(plan.source)
        let counted = plan.counts
        counts = Dictionary(uniqueKeysWithValues: PlanText.outcomes.map { ($0, counted[$0] ?? 0) })
        items = plan.lines.map {
            Item(
                group: $0.group.name, kind: $0.kind, item: $0.item, outcome: $0.outcome, reason: $0.reason,
                fields: $0.fields)
        }
        moreItems = plan.moreLines == 0 ? nil : plan.moreLines
        moreConflicts = plan.moreConflicts == 0 ? nil : plan.moreConflicts
        conflicts = plan.conflicts.map { Conflict(name: $0.name, text: $0.description) }
        newGroups = plan.newGroups.map(\.name)
        keptGroups = plan.keptGroups.map(\.name)
        backup = plan.backup
        travels = plan.travels
    }
}

/// `Schemas/import.schema.json`, for a bundle.
struct BundleImportDocument: JSONDocument {
    let formatVersion = 1
    let format = "bundle"
    let isDryRun: Bool
    let plan: PlanDocument
}

/// `Schemas/restore.schema.json`.
struct RestoreDocument: JSONDocument {
    let formatVersion = 1
    let vault: String
    let id: String
    /// Whether the vault was made for it.
    let isNew: Bool
    /// Whether nothing was changed.
    let isDryRun: Bool
    let plan: PlanDocument
    let recoveryFile: String?
    let recoveryKey: String?
}
