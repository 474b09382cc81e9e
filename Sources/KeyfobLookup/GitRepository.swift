internal import KeyfobFiles
internal import KeyfobModel

/// The git repository around a directory, as far as its configuration file goes.
struct GitRepository {
    /// The largest `.git` or `commondir` file that is read.
    private static let pointerLimit = 8_192

    /// The folder in which `config` lies.
    private let folder: String
    /// The folder that belongs to this working tree: the same, or a worktree's.
    let ownFolder: String
    /// The folder of the working tree.
    private let tree: String

    /// The nearest repository from `directory`, a real path, upwards.
    ///
    /// Nil when there is none, when it belongs to somebody else, or when its `.git` leads nowhere.
    init?(around directory: String) {
        for ancestor in FileAccess.ancestors(of: directory) {
            let entry = FileAccess.path(ancestor, ".git")
            guard let status = FileAccess.status(entry, following: true) else { continue }
            guard status.isTrustworthy else { return nil }
            tree = ancestor
            if status.isDirectory {
                (folder, ownFolder) = (entry, entry)
                return
            }
            // A worktree's or a submodule's `.git` is a file that names the folder.
            guard status.isRegularFile, let pointed = Self.pointer(entry, prefix: "gitdir: ", from: ancestor) else {
                return nil
            }
            // A worktree has its configuration where the repository has its own.
            folder = Self.pointer(FileAccess.path(pointed, "commondir"), prefix: "", from: pointed) ?? pointed
            ownFolder = pointed
            return
        }
        return nil
    }

    /// The repository whose folder git itself names (`GIT_DIR`); nil where there is none, or it belongs to somebody else.
    init?(folder path: String) {
        guard let real = FileAccess.realPath(path), let status = FileAccess.status(real, following: true),
            status.isDirectory, status.isTrustworthy,
            FileAccess.status(FileAccess.path(real, "HEAD"), following: false) != nil
        else { return nil }
        folder = Self.common(of: real) ?? real
        ownFolder = real
        tree = Self.home(of: folder)
    }

    /// The repository whose working tree has a folder of its own; nil where that folder is not in the repository, whatever it
    /// says.
    private static func common(of folder: String) -> String? {
        guard let common = pointer(FileAccess.path(folder, "commondir"), prefix: "", from: folder),
            let real = FileAccess.realPath(common), FileAccess.folder(of: folder) == FileAccess.path(real, "worktrees")
        else { return nil }
        return real
    }

    /// Where it lies: the folder of its main working tree, that of whose submodule it is, or its own where it has none.
    var home: String { Self.home(of: FileAccess.realPath(folder) ?? folder) }

    /// Where the repository lies of which this is a working tree elsewhere; nil where the repository does not know of it.
    var homeOfTree: String? {
        guard let common = Self.common(of: realFolder),
            let back = Self.pointer(FileAccess.path(realFolder, "gitdir"), prefix: "", from: realFolder),
            let named = FileAccess.realPath(back), named == FileAccess.realPath(FileAccess.path(tree, ".git"))
        else { return nil }
        return Self.home(of: common)
    }

    /// The folder of its main working tree, the repository itself where that is bare, or the folder of this tree where it is
    /// another repository's submodule.
    var place: String {
        guard let home = homeOfTree, let common = Self.common(of: realFolder),
            home == common || FileAccess.path(home, ".git") == common
        else { return tree }
        return home
    }

    private static func home(of folder: String) -> String {
        FileAccess.ancestors(of: folder).first { $0.hasSuffix("/.git") }.map(FileAccess.folder(of:)) ?? folder
    }

    /// The address of the remote `origin`, or of the only remote, those of all, and who commits.
    ///
    /// - Parameter person: Whose own configuration counts besides; nil where only the repository's does.
    func context(
        _ person: PersonalGit?
    ) -> (remote: ResourceURL?, remotes: [ResourceURL], committer: MailAddress?) {
        guard let configuration = try? GitConfiguration(at: FileAccess.path(folder, "config")) else {
            return (nil, [], nil)
        }
        let remotes = configuration.remotes
        let remote = remotes.first { $0.name == "origin" } ?? (remotes.count == 1 ? remotes.first : nil)
        let addresses = remotes.compactMap { ResourceURL(gitRemote: $0.url) }
        return (remote.flatMap { ResourceURL(gitRemote: $0.url) }, addresses, committer(configuration, person))
    }

    /// Who commits; nil where that is not set for this repository, or cannot be told for certain.
    ///
    /// What the repository's own configuration includes is not read: it may lie in the working tree, which holds what others
    /// have written.
    private func committer(_ configuration: GitConfiguration, _ person: PersonalGit?) -> MailAddress? {
        var own = [configuration]
        if configuration.hasWorktreeConfigurations {
            do {
                own.append(try GitConfiguration(at: FileAccess.path(ownFolder, "config.worktree")))
            } catch {
                guard error == .missing else { return nil }
            }
        }
        guard !own.contains(where: { $0.hasIncludes || $0.isOpenToAll }) else { return nil }
        for configuration in own.reversed() {
            if let committer = configuration.committer { return committer }
        }
        let urls = own.flatMap { $0.entries }.filter { $0.section == "remote" && $0.name == "url" }
        return person?.committer(in: self, urls: urls.compactMap { $0.value })
    }

    /// The real path of the folder that belongs to this working tree.
    var realFolder: String { FileAccess.realPath(ownFolder) ?? ownFolder }

    /// Whether a file, by its real path, is in the working tree or in the repository.
    func contains(_ path: String) -> Bool {
        [tree, FileAccess.realPath(folder) ?? folder].contains { path.hasPrefix($0 == "/" ? "/" : $0 + "/") }
    }

    /// The path that a file names in its only line, which may be relative to `folder`.
    private static func pointer(_ path: String, prefix: String, from folder: String) -> String? {
        guard case .bytes(let bytes, let status) = FileAccess.read(path, limit: pointerLimit, following: true),
            status.isTrustworthy, let text = String(validating: bytes, as: UTF8.self), text.hasPrefix(prefix)
        else { return nil }
        let target = text.dropFirst(prefix.count).prefix { $0 != "\n" && $0 != "\r\n" }
        guard !target.isEmpty, !target.utf8.contains(0) else { return nil }
        return target.hasPrefix("/") ? String(target) : FileAccess.path(folder, String(target))
    }
}
