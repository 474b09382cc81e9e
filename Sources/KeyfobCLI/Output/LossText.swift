internal import Keyfob

/// What is said of what a group has lost.
enum LossText {
    /// What the doctor finds, with the way to have it back.
    ///
    /// - Parameter holdings: What backups have of it; nil where nothing opens them.
    static func findings(
        _ loss: Keyring.Loss, _ location: KeyringLocation, _ holdings: BackupHoldings?, identity: String?
    ) -> [Finding] {
        (holdings?.naming(loss) ?? [loss]).map { loss in
            let back = wayBack(loss, location, holdings, identity: identity)
            // Of what is not repaired yet, the finding before says what to do first.
            guard loss.loss.noted != nil else { return Finding("loss", .failure, loss.text) }
            return Finding(
                "loss", .warning, loss.text, hint: "\(back); 'keyfob doctor --accept-loss' goes on without it")
        }
    }

    /// What the doctor says of a repair.
    static func repaired(_ report: Keyring.RepairReport) -> [Finding] {
        var lines: [String] = []
        if !report.files.isEmpty { lines.append("put aside: \(report.files.joined(separator: ", "))") }
        if !report.losses.isEmpty { lines.append("noted what is lost, which is told below") }
        return (lines.isEmpty ? ["nothing had to be put aside, and nothing is lost"] : lines).map {
            Finding("repair", .ok, $0)
        }
    }

    /// What the doctor says of what was accepted.
    static func accepted(_ losses: [Keyring.Loss]) -> [Finding] {
        guard !losses.isEmpty else { return [Finding("loss", .ok, "nothing had to be accepted")] }
        return losses.map { Finding("loss", .ok, "accepted: \($0.text)") }
    }

    private static func wayBack(
        _ loss: Keyring.Loss, _ location: KeyringLocation, _ holdings: BackupHoldings?, identity: String?
    ) -> String {
        let backups = (try? BackupFile.all(at: location)) ?? []
        guard !backups.isEmpty else { return "there is no backup in the vault's folder that could have it" }
        guard let holdings else {
            return "'keyfob doctor --identity FILE', FILE being your recovery key, says which backup has it "
                + "(\(Quantity.of(backups.count, "backup")) in the vault's folder)"
        }
        guard let backup = holdings.newest(with: loss) else { return "no backup in the vault's folder has it" }
        let command =
            "keyfob restore \(ShellWord.quoted(backup.path)) --bundle-identity \(ShellWord.quoted(identity ?? "FILE"))"
        return
            "'\(command)' takes the vault's groups back to the newest backup that has it, of \(LocalTime.text(backup.time)), "
            + "after a backup of what they hold now"
    }
}

/// `Schemas/verification.schema.json#/$defs/loss`.
struct LossDocument: Encodable {
    let change: String
    let kind: String?
    let count: Int
    let group: String
    let account: String?
    let clientID: String?
    let written: String?
    let noted: String?
    let file: String?
    let text: String

    init(_ loss: Keyring.Loss) {
        (change, kind, count) = (loss.loss.change.rawValue, loss.loss.kind?.rawValue, loss.loss.count)
        (group, account, clientID) = (loss.group.name, loss.loss.account?.description, loss.loss.clientID)
        (written, noted) = (loss.loss.written?.rfc3339, loss.loss.noted?.rfc3339)
        (file, text) = (loss.loss.file, loss.text)
    }
}
