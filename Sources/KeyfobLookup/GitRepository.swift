internal import KeyfobFiles
internal import KeyfobModel

/// The git repository around a directory, as far as its configuration file goes.
struct GitRepository {
    /// The largest configuration that is read.
    private static let configurationLimit = 1 << 20
    /// The largest `.git` or `commondir` file that is read.
    private static let pointerLimit = 8_192

    /// The folder in which `config` lies.
    private let folder: String

    /// The nearest repository from `directory`, a real path, upwards.
    ///
    /// Nil when there is none, when it belongs to somebody else, or when its `.git` leads nowhere.
    init?(around directory: String) {
        for ancestor in FileAccess.ancestors(of: directory) {
            let entry = FileAccess.path(ancestor, ".git")
            guard let status = FileAccess.status(entry, following: true) else { continue }
            guard status.isTrustworthy else { return nil }
            if status.isDirectory {
                folder = entry
                return
            }
            // A worktree's or a submodule's `.git` is a file that names the folder.
            guard status.isRegularFile, let pointed = Self.pointer(entry, prefix: "gitdir: ", from: ancestor) else {
                return nil
            }
            // A worktree has its configuration where the repository has its own.
            folder = Self.pointer(FileAccess.path(pointed, "commondir"), prefix: "", from: pointed) ?? pointed
            return
        }
        return nil
    }

    /// The address of the remote `origin`, or of the only remote.
    func remote() -> ResourceURL? {
        let path = FileAccess.path(folder, "config")
        guard
            case .bytes(let bytes, let status) = FileAccess.read(path, limit: Self.configurationLimit, following: true),
            status.isTrustworthy
        else { return nil }
        let remotes = GitConfiguration(bytes).remotes
        guard let remote = remotes.first(where: { $0.name == "origin" }) ?? (remotes.count == 1 ? remotes.first : nil)
        else { return nil }
        return ResourceURL(gitRemote: remote.url)
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
