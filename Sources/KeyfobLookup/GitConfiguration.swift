internal import KeyfobFiles
internal import KeyfobModel

/// What a git configuration file says of remotes, of who commits, and of other files that belong to it.
///
/// A file that git would refuse tells what precedes the mistake.
struct GitConfiguration {
    /// A remote and its first URL.
    struct Remote: Hashable {
        let name: String
        let url: String
    }

    /// The largest file that is read, in bytes.
    private static let maximumCount = 1 << 20
    /// The sections that are read.
    private static let sections = ["remote", "user", "extensions", "include", "includeif"]

    /// In their order.
    let entries: [GitConfigurationText.Entry]
    /// Whether everybody can write it.
    private(set) var isOpenToAll = false

    /// Why nothing is read of a file.
    enum Obstacle: Error {
        case missing
        /// It is somebody else's, or too large, or cannot be read.
        case unsuitable
    }

    /// The configuration at `path`, which may be a link to a file that is the caller's own, or root's.
    init(at path: String) throws(Obstacle) {
        switch FileAccess.read(path, limit: Self.maximumCount, following: true) {
        case .bytes(let bytes, let status) where status.isTrustworthy:
            self.init(bytes)
            isOpenToAll = status.isWritableByEverybody
        case .missing: throw .missing
        default: throw .unsuitable
        }
    }

    init(_ bytes: [UInt8]) { entries = GitConfigurationText(bytes, sections: Self.sections).entries }
}

// What it means.
extension GitConfiguration {
    /// The remotes that have a URL, in their order, each name once.
    var remotes: [Remote] {
        var remotes: [Remote] = []
        for entry in entries where entry.section == "remote" && entry.name == "url" {
            guard let name = entry.subsection, let url = entry.value, !url.isEmpty,
                !remotes.contains(where: { $0.name == name })
            else { continue }
            remotes.append(Remote(name: name, url: url))
        }
        return remotes
    }

    /// Who commits: the last `user.email`; nil where there is none, and then nil inside where that is no address.
    var committer: MailAddress?? {
        guard let entry = entries.last(where: { $0.isCommitter }) else { return nil }
        return .some(entry.value.flatMap { MailAddress($0) })
    }

    /// Whether other files belong to it, on some condition or on none.
    var hasIncludes: Bool { entries.contains { $0.section == "include" || $0.section == "includeif" } }

    /// Whether working trees have configurations of their own.
    var hasWorktreeConfigurations: Bool {
        let entry = entries.last { $0.section == "extensions" && $0.name == "worktreeconfig" }
        guard let entry else { return false }
        // A name alone is true, as in git.
        return entry.value.map { ["true", "yes", "on", "1"].contains(Identifier.folded($0)) } ?? true
    }
}

extension GitConfigurationText.Entry {
    /// Whether it says who commits.
    var isCommitter: Bool { section == "user" && subsection == nil && name == "email" }
}
