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

    /// The same, with what takes each of them out of the way.
    func warnings(at addresses: [String]) -> [Finding] {
        others(at: addresses).map { other in
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

    /// The helpers that git has here, for what is told of an account that comes; nil where nothing is told.
    ///
    /// Called before the keyring is opened where this process starts no program afterwards.
    static func unlessQuiet(_ global: GlobalOptions) -> GitCredentialChain? {
        global.quiet ? nil : GitProgram()?.chain()
    }

    /// Tells who else git hands the tokens of an account that has come, where git asks Keyfob.
    func tellOthers(of account: AccountID, _ global: GlobalOptions) {
        guard lines.contains(where: \.isOwn) else { return }
        for finding in warnings(at: GitHosts.repositories(of: account.environment).flatMap(GitHosts.addresses)) {
            global.say("keyfob: warning: \(finding.text)" + (finding.hint.map { "; \($0)" } ?? ""))
        }
    }
}
