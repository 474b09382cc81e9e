internal import Keyfob
internal import KeyfobAgent

/// What people are told of a log that is not as it was written.
enum LogText {
    /// How much of it is told in words.
    private static let told = 5

    /// What is wrong with the log of a group.
    ///
    /// - Parameter elsewhere: How much more is wrong with the logs of other groups.
    static func problem(_ findings: [AuditReading.Finding], in group: AccessGroup, elsewhere: Int = 0) -> String {
        let others = max(findings.count - told, 0) + elsewhere
        return "the log of group '\(group)' is not as it was written: "
            + findings.prefix(told).map(\.description).joined(separator: "; ")
            + (others > 0 ? "; and \(Quantity.of(others, "other finding")), all with 'keyfob log --json'" : "")
    }

    /// What to do about it.
    static func advice(for group: AccessGroup) -> String {
        "what the other lines say was written by somebody with the group's key; 'keyfob log --begin-anew "
            + "--group \(ShellWord.inMessage(group.name))' puts it aside"
    }

    /// What `doctor` says of the logs of all groups.
    static func findings(of keyring: Keyring) throws(KeyringError) -> [Finding] {
        let files = AuditFiles(state: keyring.location.state)
        var findings: [Finding] = []
        for group in try keyring.groups.list().map(\.name) {
            let found = try files.read(group, keyring).findings
            guard !found.isEmpty else { continue }
            findings.append(Finding("log", .failure, problem(found, in: group), hint: advice(for: group)))
        }
        return findings
    }
}
