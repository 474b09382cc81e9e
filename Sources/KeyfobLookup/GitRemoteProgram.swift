internal import KeyfobFiles
package import KeyfobModel

/// The part of git that speaks http, where it has called: it is started with what it fetches or pushes.
package enum GitRemoteProgram {
    private static let names = ["git-remote-http", "git-remote-https"]

    /// What it fetches or pushes; nil for something at another host, and where another program has called.
    package static func address(at host: String) -> ResourceURL? {
        var isThere = false
        // Between it and this program are a shell, and git that starts the helper.
        return CallingTool.word(ofNearest: 4) { word in
            if !isThere {
                isThere = names.contains(word.split(separator: "/").last.map(String.init) ?? "")
                return nil
            }
            guard word.hasPrefix("http"), let address = ResourceURL(gitRemote: word) else { return nil }
            return address.host == host ? address : nil
        }
    }
}
