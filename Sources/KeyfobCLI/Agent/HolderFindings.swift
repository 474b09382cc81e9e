internal import Keyfob

extension Finding {
    /// Who has the vault's key besides this session, by what 'lock' would reach, where something is wrong with that.
    static func holders(_ locked: borrowing LockedKeyring, _ location: KeyringLocation) -> [Finding] {
        var findings = AgentText.all(at: location).filter { !$0.isAnswering }.map { agent in
            Finding("agent", .warning, agent.words, hint: "until it has ended, 'keyfob lock' fails")
        }
        if locked.keysKeptElsewhere == nil {
            findings.append(
                Finding(
                    "kept keys", .warning, "the kernel does not show here which sessions keep the key",
                    hint: "'keyfob lock' forgets the keys of all vaults then"))
        }
        return findings
    }
}
