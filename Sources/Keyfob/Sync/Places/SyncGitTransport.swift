internal import FoundationEssentials
internal import Glibc
internal import KeyfobFiles

/// Files of a sync in a branch of a git repository: one commit without a history, which each machine replaces.
///
/// git is run; nothing is checked out, so that no filter, hook or link of the repository has a say. A repository of this
/// machine is read and written through ``SyncGitFolder``: git runs the other side here, and would take programs from its
/// configuration. Of its files those are written out that a sync has, and no others.
final class SyncGitTransport: SyncTransport {
    private static let branch = SyncGitFolder.branch
    private static let last = "refs/keyfob/last"

    private let address: String
    /// The repository on this machine that the address names; nil for one elsewhere.
    private let local: String?
    private let place: String
    private let mirror: SyncMirror
    private let program: SyncProgram

    var folder: String { mirror.folder }
    /// The address as messages name it.
    private var shown: String { SyncComplaint.harmless(address) }
    private var repository: String { place + "/repository" }
    private var view: String { place + "/view" }
    /// What git is given as the other side.
    private var target: String { local == nil ? address : view }

    init(_ address: String, in place: String, _ access: SyncAccess) throws(KeyringError) {
        (self.address, self.place) = (address, place)
        local = SyncGitFolder.localPath(address)
        mirror = try SyncMirror(place)
        // No other repository has a say.
        var environment = access.environment.filter { name, _ in
            (!name.hasPrefix("GIT_") || name.hasPrefix("GIT_SSH")) && !name.hasPrefix("KEYFOB_")
        }
        environment["GIT_INDEX_FILE"] = place + "/index"
        environment["LC_ALL"] = "C"
        // Anything else is a program that git starts to reach the other side.
        environment["GIT_ALLOW_PROTOCOL"] = local == nil ? "git:http:https:ssh" : "file"
        if local != nil {
            environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
            environment["GIT_CONFIG_NOSYSTEM"] = "1"
        }
        for role in ["AUTHOR", "COMMITTER"] {
            environment["GIT_\(role)_NAME"] = "keyfob"
            environment["GIT_\(role)_EMAIL"] = "keyfob@localhost"
            environment["GIT_\(role)_DATE"] = "@0 +0000"
        }
        if !access.mayAsk { environment["GIT_TERMINAL_PROMPT"] = "0" }
        program = SyncProgram(
            name: "git", place: place, seconds: access.programSeconds, isAsking: access.mayAsk, environment: environment
        )
    }

    func fetch() throws(KeyringError) {
        _ = try SyncGitFolder.mirror(repository)
        if let local {
            _ = try SyncGitFolder.view(of: local, at: view) { name, file in
                let found = git(["config", "--file", file, "--no-includes", "-z", "--get-regexp", name])
                // Each is NAME, a line feed, VALUE.
                return (found ?? Data()).split(separator: 0).map { setting in
                    Self.text(setting).replacing("\n", with: "=", maxReplacements: 1)
                }
            }
        }
        let listed = try require(git(["ls-remote", "--", target, Self.branch]), "read \(shown)")
        guard let object = Self.tip(in: listed) else {
            _ = git(["update-ref", "-d", Self.last])
            try write(files: [])
            return
        }
        try require(
            fetch("+\(object):\(Self.last)") ?? fallbackFetch(), "read \(shown)")
        try write(files: SyncGitPlan.chosen(try entries()))
    }

    /// Where a server gives nothing by its id.
    private func fallbackFetch() -> Data? { fetch("+\(Self.branch):\(Self.last)") }

    private func fetch(_ what: String) -> Data? {
        git([
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--depth=1", "--no-write-fetch-head", "--",
            target, what,
        ])
    }

    /// The files of the devices in the last commit: only what lies where a sync has files is looked at.
    private func entries() throws(KeyringError) -> [SyncGitPlan.Entry] {
        guard git(["rev-parse", "--quiet", "--verify", Self.last]) != nil else { return [] }
        let list = ["ls-tree", "-z", "--long", Self.last, "--"]
        let top = try require(git(list + ["devices/"], limit: SyncChoice.listLimit), "read its files")
        let folders = SyncGitPlan.folders(top)
        guard !folders.isEmpty else { return [] }
        let listed = try require(
            git(list + folders.map { $0 + "/" }, limit: SyncChoice.listLimit), "read its files")
        return SyncGitPlan.files(listed).filter { SyncMirror.isExpected($0.path) }
    }

    /// The ids that files have which are here from before, by their paths.
    private func present(_ files: [SyncGitPlan.Entry]) -> [String: String] {
        let here = files.map(\.path).filter { FileManager.default.isReadableFile(atPath: folder + "/" + $0) }
        guard !here.isEmpty else { return [:] }
        let input = Data(here.map { folder + "/" + $0 + "\n" }.joined().utf8)
        let ids = git(["hash-object", "--no-filters", "--stdin-paths"], input: input).map { Self.text($0) } ?? ""
        return Dictionary(zip(here, ids.split(separator: "\n").map(String.init)), uniquingKeysWith: { $1 })
    }

    /// Writes files out, in place of those that are there.
    private func write(files: [SyncGitPlan.Entry]) throws(KeyringError) {
        let (old, new) = (folder, place + "/tree.new")
        let known = present(files)
        let manager = FileManager.default
        try? manager.removeItem(atPath: new)
        do {
            try POSIXFile.createDirectories(new + "/devices")
            for file in files {
                let path = new + "/" + file.path
                try manager.createDirectory(
                    atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
                let present = old + "/" + file.path
                if known[file.path] == file.object {
                    try manager.copyItem(atPath: present, toPath: path)
                    continue
                }
                guard let output = ChildProgram.newFile(path) else {
                    throw KeyringError(.inputOutput, "\(path) cannot be written")
                }
                let isRead = git(["cat-file", "blob", file.object], to: output) != nil
                guard close(output) == 0, isRead else {
                    throw KeyringError(.inputOutput, "git could not read \(file.path)")
                }
            }
            try? manager.removeItem(atPath: old)
            try manager.moveItem(atPath: new, toPath: old)
        } catch let error as KeyringError {
            throw error
        } catch {
            throw KeyringError(.inputOutput, "the files of \(shown) cannot be written to \(place)")
        }
    }

    func deliver(_ ownFolder: String) throws(KeyringError) -> Bool {
        let all = try entries()
        let before = all.filter { $0.path.hasPrefix(ownFolder + "/") }
        var index = ""
        var after: [String: String] = [:]
        for name in mirror.names(in: ownFolder) {
            let path = ownFolder + "/" + name
            let hash = try require(git(["hash-object", "-w", "--no-filters", folder + "/" + path]), "store \(path)")
            after[path] = Self.line(hash)
        }
        if after == Dictionary(before.map { ($0.path, $0.object) }, uniquingKeysWith: { $1 }) { return true }
        for entry in all where !entry.path.hasPrefix(ownFolder + "/") {
            index += "100644 \(entry.object)\t\(entry.path)\n"
        }
        for (path, object) in after.sorted(by: { $0.key < $1.key }) { index += "100644 \(object)\t\(path)\n" }
        let last = git(["rev-parse", "--quiet", "--verify", Self.last]).map(Self.line)
        // What else the branch has is nobody's of the sync.
        try require(git(["read-tree", "--empty"]), "begin a commit")
        try require(git(["update-index", "--index-info"], input: Data(index.utf8)), "make a commit")
        let tree = Self.line(try require(git(["write-tree"]), "make a commit"))
        let commit = Self.line(try require(git(["commit-tree", tree, "-m", "sync"]), "make a commit"))
        let isDone =
            git([
                "push", "--quiet", "--no-verify", "--force-with-lease=\(Self.branch):\(last ?? "")", "--", target,
                "\(commit):\(Self.branch)",
            ]) != nil
        guard isDone else {
            // Whether somebody was faster shows at the repository, in whatever words git says it.
            let now = try require(
                git(["ls-remote", "--", target, Self.branch]), "write to \(shown)")
            guard Self.tip(in: now) != last else { throw failure("write to \(shown)") }
            return false
        }
        _ = git(["update-ref", Self.last, commit])
        _ = git(["prune", "--expire=now"])
        return true
    }

    /// The commit of the branch in what git lists, which has branches whose names only end so too.
    private static func tip(in listed: Data) -> String? {
        for line in text(listed).split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count == 2, words[1] == branch { return String(words[0]) }
        }
        return nil
    }

    private static func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
    private static func line(_ data: Data) -> String {
        text(data).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    @discardableResult
    private func require(_ output: Data?, _ what: String) throws(KeyringError) -> Data {
        guard let output else { throw failure(what) }
        return output
    }

    private func failure(_ what: String) -> KeyringError {
        let reason = SyncComplaint.ofGit(program.complaints)
        return program.failure(
            last, what, local.map { path in reason?.replacing(view, with: path) } ?? reason,
            advice: .tryByHand(["git", "ls-remote", shown]))
    }

    private var last = SyncProgram.Outcome.failed

    /// Runs git; what it prints, or nothing where it fails or prints more than `limit` bytes.
    private func git(
        _ arguments: [String], input: Data? = nil, to file: Int32? = nil, limit: Int = .max
    ) -> Data? {
        // After one that was late, the next one would be.
        if case .late = last { return nil }
        last = program.run(["--git-dir=" + repository] + arguments, input: input, to: file, limit: limit)
        if case .done(let output) = last { return output }
        return nil
    }
}
