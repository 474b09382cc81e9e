internal import Keyfob
internal import KeyfobInterop
internal import KeyfobModel

extension GitCredentialChain {
    /// What other helpers do with the tokens for some addresses, a line of text for each.
    func others(at addresses: [String]) -> [(line: Line, text: String, addresses: [String])] {
        var found: [(line: Line, text: String, addresses: [String])] = []
        for address in addresses {
            for line in helpers(at: address) where !line.isOwn {
                if let index = found.firstIndex(where: { $0.line == line }) {
                    found[index].addresses.append(address)
                } else {
                    let what =
                        line.keeping.map { "is told Keyfob's tokens, and \($0)" } ?? "may answer in Keyfob's place"
                    found.append((line, "the helper '\(line.value)' (\(line.place)) \(what)", [address]))
                }
            }
        }
        return found
    }
}

extension Finding {
    /// What git does with the tokens that Keyfob gives it; nothing where it does not ask Keyfob.
    static func git(_ keyring: Keyring, _ groups: [AccessGroup]?) throws(KeyringError) -> [Finding] {
        guard let chain = GitProgram()?.chain(), chain.lines.contains(where: \.isOwn) else { return [] }
        let addresses = try GitHosts.all(of: keyring, in: groups).flatMap(GitHosts.addresses)
        var findings = chain.others(at: addresses).map { other in
            let hint =
                other.line.isOfRepository
                ? other.addresses.map { address in
                    let name = ShellWord.quoted("credential.\(address).helper")
                    return "git config --add \(name) '' && git config --add \(name) keyfob"
                }.joined(separator: " && ")
                : "keyfob setup git"
            return Finding(
                "git", .warning, "at \(Quantity.list(other.addresses)) \(other.text)",
                hint: "'\(hint)' takes it out of the way there")
        }
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
