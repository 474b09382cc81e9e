internal import KeyfobFiles
package import KeyfobModel

/// The part of git that speaks http, where it has called: it is started with what it fetches or pushes.
package enum GitRemoteProgram {
    private static let names = ["git-remote-http", "git-remote-https"]

    /// What it fetches or pushes; nil for something at another host, and where another program has called.
    package static func address(at host: String) -> ResourceURL? {
        // Between it and this program are a shell, and git that starts the helper.
        let found: ResourceURL?? = CallingTool.words { words in
            guard let name = words.firstIndex(where: isName) else { return nil }
            return .some(Self.address(in: words[name...].dropFirst()))
        }
        guard let address = found ?? nil, address.host == host else { return nil }
        return address
    }

    private static func isName(_ word: String) -> Bool {
        names.contains(word.split(separator: "/").last.map(String.init) ?? "")
    }

    /// What stands behind its name: the remote, or the address as it was typed, and the address that git has made of it
    /// (`insteadOf`), which alone counts.
    static func address(in words: ArraySlice<String>) -> ResourceURL? {
        guard let word = words.dropFirst().first, word.hasPrefix("http") else { return nil }
        return ResourceURL(gitRemote: word)
    }
}
