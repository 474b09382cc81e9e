internal import FoundationEssentials
internal import KeyfobFiles
internal import KeyfobModel

/// A folder that git takes for a repository, with nothing in it of which git would run a program but what is written here.
///
/// git finds programs in a repository's configuration, its hooks, its attributes, and where it is told that objects are
/// missing. So what is not known is removed each time, and the configuration is written anew.
struct SyncGitFolder {
    /// The branch of a sync.
    static let branch = "refs/heads/keyfob-sync"

    let path: String

    /// The repository of this machine, which is made where it is missing.
    static func mirror(_ path: String) throws(KeyringError) -> SyncGitFolder {
        let folder = SyncGitFolder(path: path)
        do {
            try POSIXFile.createDirectories(path)
            let known: Set = ["HEAD", "config", "objects", "refs", "packed-refs", "shallow"]
            for name in try POSIXFile.names(in: path, limit: 1_024) where !known.contains(name) {
                try FileManager.default.removeItem(atPath: path + "/" + name)
            }
            for name in ["objects", "refs", "objects/info"] {
                let part = path + "/" + name
                if let status = try POSIXFile.status(part), !status.isDirectory {
                    try FileManager.default.removeItem(atPath: part)
                }
                try POSIXFile.createDirectories(part)
            }
            for name in ["alternates", "http-alternates"] {
                let file = path + "/objects/info/" + name
                if try POSIXFile.status(file) != nil { try FileManager.default.removeItem(atPath: file) }
            }
            try folder.configure(sharing: nil)
        } catch {
            throw KeyringError(.inputOutput, "the repository \(path) cannot be written")
        }
        return folder
    }

    /// A repository of this machine that somebody else may have written, through a folder which has its objects and branches and
    /// none of its configuration.
    ///
    /// - Parameter setting: Gives a setting of a file of git's.
    static func view(
        of repository: String, at path: String, setting: (_ name: String, _ file: String) -> [String]
    ) throws(KeyringError) -> SyncGitFolder {
        func kind(_ name: String) -> POSIXFile.Status? {
            (try? POSIXFile.status(repository + "/" + name)).flatMap(\.self)
        }
        // A worktree of another repository has files of these names too.
        guard kind(".git") == nil, kind("commondir") == nil, kind("gitdir") == nil else {
            throw KeyringError(
                .configuration,
                "\(repository) is a repository for people to work in; name a bare one, as 'git init --bare' makes it")
        }
        guard kind("HEAD")?.isRegularFile == true, kind("objects") != nil, kind("refs") != nil else {
            throw KeyringError(
                .noSuchFile, "git could not read \(repository): there is no repository", advice: .reachPlace)
        }
        try refuseLinks(in: repository)
        var sharing: String?
        if kind("config")?.isRegularFile == true {
            let file = repository + "/config"
            let others = setting("^extensions\\.", file).filter {
                !["extensions.objectformat=sha1", "extensions.refstorage=files"].contains($0.lowercased())
            }
            if let other = others.first {
                throw KeyringError(
                    .configuration,
                    "\(repository) needs what a sync does not use (\(other.onOneLine)): name one that 'git init --bare' makes"
                )
            }
            sharing = setting("^core\\.sharedrepository$", file).last.flatMap { line in
                line.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
            }
        }
        let folder = SyncGitFolder(path: path)
        do {
            if try POSIXFile.status(path) != nil { try FileManager.default.removeItem(atPath: path) }
            try POSIXFile.createDirectories(path)
            for name in ["objects", "refs", "packed-refs", "shallow"] where kind(name) != nil || name == "packed-refs" {
                try FileManager.default.createSymbolicLink(
                    atPath: path + "/" + name, withDestinationPath: repository + "/" + name)
            }
            try folder.configure(sharing: sharing)
        } catch {
            throw KeyringError(.inputOutput, "\(path) cannot be written")
        }
        return folder
    }

    /// Makes sure that what git writes into is in the repository: a link of somebody else's would lead it elsewhere.
    private static func refuseLinks(in repository: String) throws(KeyringError) {
        let folders =
            ["objects", "refs", "refs/heads", "objects/pack", "objects/info"]
            + (0..<256).map { number in
                "objects/" + (number < 16 ? "0" : "") + String(number, radix: 16)
            }
        for name in folders {
            let status = (try? POSIXFile.status(repository + "/" + name)).flatMap(\.self)
            guard status?.isDirectory ?? true else {
                throw KeyringError(.configuration, "\(repository)/\(name) is no folder: name another repository")
            }
        }
        for name in ["packed-refs", "shallow", branch] {
            let status = (try? POSIXFile.status(repository + "/" + name)).flatMap(\.self)
            guard status?.isRegularFile ?? true else {
                throw KeyringError(.configuration, "\(repository)/\(name) is no file: name another repository")
            }
        }
    }

    /// The path in an address of this machine's; nil for one of another machine.
    static func localPath(_ address: String) -> String? {
        if address.hasPrefix("/") { return address }
        let scheme = "file://"
        guard address.lowercased().hasPrefix(scheme) else { return nil }
        let rest = address.dropFirst(scheme.count)
        let path = rest.hasPrefix("/") ? rest : rest.drop { $0 != "/" }
        return PercentEncoding.decode(path.utf8).map { String(decoding: $0, as: UTF8.self) } ?? String(path)
    }

    private func configure(sharing: String?) throws {
        let shared = sharing.flatMap { word in
            word.wholeMatch(of: /[0-9A-Za-z]{1,9}/) == nil ? nil : "\tsharedRepository = \(word)\n"
        }
        let settings = """
            [core]
            \trepositoryFormatVersion = 0
            \tbare = true
            \thooksPath = /dev/null
            \tfsmonitor = false
            \talternateRefsCommand = true
            \(shared ?? "")[gc]
            \tauto = 0
            [maintenance]
            \tauto = false
            [receive]
            \tautoGC = false
            \tupdateServerInfo = false
            [transfer]
            \thideRefs = refs/
            \thideRefs = !\(Self.branch)

            """
        for (name, text) in [("HEAD", "ref: refs/heads/none\n"), ("config", settings)] {
            let file = path + "/" + name
            let bytes = Array(text.utf8)
            if let status = try POSIXFile.status(file) {
                if status.isRegularFile, try POSIXFile.read(file, limit: 1 << 16) == bytes { continue }
                try FileManager.default.removeItem(atPath: file)
            }
            try POSIXFile.replace(file, with: bytes)
        }
    }
}
