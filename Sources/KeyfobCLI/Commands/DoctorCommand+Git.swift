internal import Keyfob
internal import KeyfobInterop

extension Finding {
    /// What git does with the tokens that Keyfob gives it; nothing where it does not ask Keyfob.
    static func git(_ keyring: Keyring, _ groups: [AccessGroup]?) throws(KeyringError) -> [Finding] {
        guard let chain = GitProgram()?.chain(), chain.lines.contains(where: \.isOwn) else { return [] }
        let addresses = try GitHosts.all(of: keyring, in: groups).flatMap(GitHosts.addresses)
        var findings = chain.warnings(at: addresses)
        let lost = addresses.filter { address in !chain.helpers(at: address).contains(where: \.isOwn) }
        if !lost.isEmpty {
            findings.append(
                Finding(
                    "git", .warning, "at \(Quantity.list(lost)) git does not ask Keyfob",
                    hint: "'keyfob setup git' lets it ask"))
        }
        if findings.isEmpty, !addresses.isEmpty {
            findings.append(Finding("git", .ok, "it asks Keyfob and nobody else at \(Quantity.list(addresses))"))
        }
        return findings
    }
}
