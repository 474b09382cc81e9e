internal import Keyfob

/// Who made a backup, as far as what opens it shows that.
enum BackupOrigin: String, Encodable {
    /// The owner of the vault that it is of.
    case owner
    /// Nothing shows who.
    case unknown
    /// It is for another key, or damaged.
    case unreadable

    init(_ file: borrowing BundleFile, _ opener: borrowing BundleOpener) {
        switch try? Keyring.Bundles.verifyBackup(file, with: opener) {
        case .some(let summary): self = summary.isOwners ? .owner : .unknown
        case nil: self = .unreadable
        }
    }

    /// The same in a table.
    var text: String {
        switch self {
        case .owner: "its owner"
        case .unknown: "nothing shows who"
        case .unreadable: "- (does not open)"
        }
    }
}

extension GlobalOptions {
    /// The keyring where that may show who made a backup, which what opens the backup does not; nil for one of which it is known.
    func keyringToJudge(_ source: BundleSummary) -> Keyring? {
        source.isOfUnknownOrigin ? (try? opening(reaching: .files()))?.keyring : nil
    }
}

extension BundleSummary {
    /// Whether it is a backup, and nothing shows who made it.
    var isOfUnknownOrigin: Bool { purpose == "backup" && !isOwners }

    /// What people call it, and whose it is.
    var kindText: String {
        switch purpose {
        case "backup" where isOwners: "a backup of vault \(vault), made by its owner,"
        case "backup": "whole, and nothing shows who made it: a backup"
        case "export": "an export"
        default: "a bundle"
        }
    }
}
