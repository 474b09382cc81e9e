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
        var findings = git(chain, sharing: addresses)
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

    /// Who else is told the tokens of an account that has come, where git asks Keyfob.
    static func git(atHostsOf environment: String) -> [Finding] {
        guard let chain = GitProgram()?.chain(), chain.lines.contains(where: \.isOwn) else { return [] }
        return git(chain, sharing: GitHosts.repositories(of: environment).flatMap(GitHosts.addresses))
    }

    private static func git(_ chain: GitCredentialChain, sharing addresses: [String]) -> [Finding] {
        chain.others(at: addresses).map { other in
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
    }
}

extension GlobalOptions {
    /// Tells who else git hands the tokens of an account that has come.
    func tellOtherHelpers(of account: AccountID) {
        guard !quiet else { return }
        for finding in Finding.git(atHostsOf: account.environment) {
            say("keyfob: warning: \(finding.text); \(finding.hint ?? "")")
        }
    }
}
