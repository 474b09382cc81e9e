internal import Foundation
internal import Keyfob
internal import KeyfobFiles

/// Files of a sync in a branch of a git repository: one commit without a history, which each machine replaces.
///
/// git is run; nothing is checked out, so that no filter, hook or link of the repository has a say. Of its files those
/// are written out that a sync has, and no others.
final class SyncGitTransport: SyncTransport {
    private static let branch = "refs/heads/keyfob-sync"
    private static let last = "refs/keyfob/last"
    private static let noObject = String(repeating: "0", count: 40)

    private let address: String
    private let place: String
    private let mirror: SyncMirror
    private let program: SyncProgram

    var folder: String { mirror.folder }
    private var repository: String { place + "/repository" }

    init(_ address: String, in place: String, _ options: SyncOptions) throws(KeyringError) {
        (self.address, self.place) = (address, place)
        mirror = try SyncMirror(place)
        // No other repository has a say.
        var environment = Environment.current.variables.filter { name, _ in
            !name.hasPrefix("GIT_") || name.hasPrefix("GIT_SSH")
        }
        environment["GIT_INDEX_FILE"] = place + "/index"
        environment["LC_ALL"] = "C"
        for role in ["AUTHOR", "COMMITTER"] {
            environment["GIT_\(role)_NAME"] = "keyfob"
            environment["GIT_\(role)_EMAIL"] = "keyfob@localhost"
            environment["GIT_\(role)_DATE"] = "@0 +0000"
        }
        if !options.isAsking { environment["GIT_TERMINAL_PROMPT"] = "0" }
        program = SyncProgram(
            name: "git", place: place, seconds: options.timeout, isAsking: options.isAsking, environment: environment)
    }

    func fetch() throws(KeyringError) {
        if !FileManager.default.fileExists(atPath: repository + "/HEAD") {
            try require(
                git(["init", "--quiet", "--bare", repository], isRepository: false), "make a repository in \(place)")
        }
        let listed = try require(git(["ls-remote", "--", address, Self.branch]), "read \(address)")
        guard let object = Self.text(listed).split(whereSeparator: \.isWhitespace).first.map(String.init) else {
            _ = git(["update-ref", "-d", Self.last])
            try write(files: [])
            return
        }
        try require(
            git([
                "fetch", "--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head", "--", address,
                "+\(object):\(Self.last)",
            ]) ?? fallbackFetch(), "read \(address)")
        try write(files: try entries(below: "devices").filter { SyncMirror.isExpected($0.path) })
    }

    /// Where a server gives nothing by its id.
    private func fallbackFetch() -> Data? {
        git([
            "fetch", "--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head", "--", address,
            "+\(Self.branch):\(Self.last)",
        ])
    }

    private struct Entry {
        let object: String
        let size: Int
        let path: String
    }

    /// The files below a folder of the last commit.
    private func entries(below folder: String) throws(KeyringError) -> [Entry] {
        guard git(["rev-parse", "--quiet", "--verify", Self.last]) != nil else { return [] }
        let listed = try require(git(["ls-tree", "-r", "-z", "--long", Self.last, "--", folder]), "read its files")
        var entries: [Entry] = []
        for line in listed.split(separator: 0) {
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { continue }
            let words = Self.text(Data(line[..<tab])).split(separator: " ")
            // Of a link, the size is that of its target's name: only files count.
            guard words.count == 4, words[0].hasPrefix("100"), words[1] == "blob", let size = Int(words[3]) else {
                continue
            }
            entries.append(
                Entry(object: String(words[2]), size: size, path: Self.text(Data(line[line.index(after: tab)...]))))
        }
        return entries
    }

    /// Writes files out, in place of those that are there.
    private func write(files: [Entry]) throws(KeyringError) {
        let (old, new) = (folder, place + "/tree.new")
        let manager = FileManager.default
        try? manager.removeItem(atPath: new)
        do {
            try manager.createDirectory(
                atPath: new + "/devices", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for file in files.prefix(SyncMirror.fileLimit) {
                let path = new + "/" + file.path
                try manager.createDirectory(
                    atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
                let present = old + "/" + file.path
                // What has a hash for a name does not change; whoever reads it sees.
                if !SyncMirror.isReplaced(path),
                    let size = try? manager.attributesOfItem(atPath: present)[.size] as? Int, size == file.size
                {
                    try manager.copyItem(atPath: present, toPath: path)
                    continue
                }
                guard manager.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                    throw KeyringError(.inputOutput, "\(path) cannot be written")
                }
                let output = try FileHandle(forWritingTo: URL(filePath: path))
                guard git(["cat-file", "blob", file.object], to: output) != nil else {
                    throw KeyringError(.inputOutput, "git could not read \(file.path)")
                }
                try output.close()
            }
            try? manager.removeItem(atPath: old)
            try manager.moveItem(atPath: new, toPath: old)
        } catch let error as KeyringError {
            throw error
        } catch {
            throw KeyringError(.inputOutput, "the files of \(address) cannot be written to \(place)")
        }
    }

    func deliver(_ ownFolder: String) throws(KeyringError) -> Bool {
        let before = try entries(below: ownFolder)
        var index = ""
        var after: [String: String] = [:]
        for name in mirror.names(in: ownFolder) {
            let path = ownFolder + "/" + name
            let hash = try require(git(["hash-object", "-w", "--no-filters", folder + "/" + path]), "store \(path)")
            after[path] = Self.text(hash).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        if after == Dictionary(before.map { ($0.path, $0.object) }, uniquingKeysWith: { $1 }) { return true }
        for entry in before where after[entry.path] == nil { index += "0 \(Self.noObject)\t\(entry.path)\n" }
        for (path, object) in after.sorted(by: { $0.key < $1.key }) { index += "100644 \(object)\t\(path)\n" }
        let last = git(["rev-parse", "--quiet", "--verify", Self.last]).map(Self.line)
        try require(git(["read-tree"] + (last.map { [$0] } ?? ["--empty"])), "read the last commit")
        try require(git(["update-index", "--index-info"], input: Data(index.utf8)), "make a commit")
        let tree = Self.line(try require(git(["write-tree"]), "make a commit"))
        let commit = Self.line(try require(git(["commit-tree", tree, "-m", "sync"]), "make a commit"))
        let isDone =
            git([
                "push", "--quiet", "--no-verify", "--force-with-lease=\(Self.branch):\(last ?? "")", "--", address,
                "\(commit):\(Self.branch)",
            ]) != nil
        guard isDone else {
            // Whether somebody was faster shows at the repository, in whatever words git says it.
            let now = try require(git(["ls-remote", "--", address, Self.branch]), "write to \(address)")
            let object = Self.text(now).split(whereSeparator: \.isWhitespace).first.map(String.init)
            guard object != last else { throw failure("write to \(address)") }
            return false
        }
        _ = git(["update-ref", Self.last, commit])
        _ = git(["prune", "--expire=now"])
        return true
    }

    private static func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
    private static func line(_ data: Data) -> String { text(data).trimmingCharacters(in: .whitespacesAndNewlines) }

    @discardableResult
    private func require(_ output: Data?, _ what: String) throws(KeyringError) -> Data {
        guard let output else { throw failure(what) }
        return output
    }

    private func failure(_ what: String) -> KeyringError {
        let line = program.complaints.split(separator: "\n").first {
            $0.hasPrefix("fatal: ") || $0.hasPrefix("error: ")
        }
        return program.failure(last, what, line.map { String($0.drop { $0 != " " }.dropFirst()) })
    }

    private var last = SyncProgram.Outcome.failed

    /// Runs git; what it prints, or nothing where it fails.
    private func git(
        _ arguments: [String], input: Data? = nil, to file: FileHandle? = nil, isRepository: Bool = true
    ) -> Data? {
        // After one that was late, the next one would be.
        if case .late = last { return nil }
        let settings = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "gc.auto=0"]
        let place = isRepository ? ["--git-dir=" + repository] : []
        last = program.run(settings + place + arguments, input: input, to: file)
        if case .done(let output) = last { return output }
        return nil
    }
}
