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
            Finding(
                "git", .warning, "at \(Quantity.list(other.addresses)) \(other.text)",
                hint: Self.wayOut(of: other.line, at: other.addresses))
        }
    }

    /// What takes a helper out of the way at some addresses.
    private static func wayOut(of line: Line, at addresses: [String]) -> String {
        func commands(_ option: String) -> String {
            let lines = addresses.map { address in
                let name = ShellWord.quoted("credential.\(address).helper")
                return "git config \(option)--add \(name) '' && git config \(option)--add \(name) keyfob"
            }
            return lines.joined(separator: " && ")
        }
        switch line.scope {
        case .general: return "'keyfob setup git' takes it out of the way there"
        case .repository: return "'\(commands(""))' takes it out of the way there"
        case .worktree: return "'\(commands("--worktree "))' takes it out of the way there"
        case .call: return byCall
        }
    }

    /// What is said of a helper that no file takes out of the way.
    static let byCall = "GIT_CONFIG_COUNT or git's own options name it, which count after all files: take it out there"

    /// The helpers that git has here, for what is told of an account that comes; nil where nothing is told.
    ///
    /// Called before the keyring is opened where this process starts no program afterwards.
    static func unlessQuiet(_ global: GlobalOptions) -> GitCredentialChain? {
        global.quiet ? nil : GitProgram()?.chain()
    }

    /// Tells who else git hands the tokens of an account that has come, where git asks Keyfob.
    func tellOthers(
        of account: AccountID, in group: AccessGroup, _ keyring: Keyring, _ global: GlobalOptions
    ) throws(KeyringError) {
        guard lines.contains(where: \.isOwn) else { return }
        for finding in warnings(at: try GitHosts.of(account, in: group, keyring).flatMap(GitHosts.addresses)) {
            global.say("keyfob: warning: \(finding.text)" + (finding.hint.map { "; \($0)" } ?? ""))
        }
    }
}
