internal import Keyfob
internal import KeyfobTerminal

extension SyncText {
    /// What there is to say of a vault's sync, beside all else that is said of the vault; nothing where it is part of none.
    static func findings(_ keyring: Keyring) -> [Finding] {
        guard keyring.sync.isSetUp, keyring.opensWholeVault else { return [] }
        let status: SyncStatus
        do throws(KeyringError) {
            status = try keyring.sync.status()
        } catch {
            return [Finding("sync", .warning, error.message, hint: error.hint)]
        }
        let when = status.last.map { "synchronised \(TimeText.moment($0))" } ?? "not synchronised yet"
        let place = TerminalText.line(status.remote)
        let standstill = standstill(status).map { "\($0) (\(place))" }
        let level: Finding.Status = standstill != nil || status.isCutOff ? .warning : .ok
        return [
            Finding("sync", level, standstill ?? (status.state == .member ? "\(when), over \(place)" : state(status)))
        ]
            + status.findings.filter { status.state == .member || $0.stays }.map { finding in
                Finding(
                    "sync", .warning, TerminalText.line(finding.text),
                    hint: finding.remedy != nil ? advice(finding, status) : nil)
            } + silent(status).map { Finding("sync", .warning, $0.text, hint: $0.advice) }
    }
}
