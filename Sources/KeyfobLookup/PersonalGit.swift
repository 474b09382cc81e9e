internal import KeyfobFiles
internal import KeyfobModel

/// Where a person's own git configuration is: what `git config --global` writes.
///
/// Of it counts what it includes for some repositories alone (`includeIf`, by `gitdir:` or `hasconfig:remote.*.url:`). An
/// address that it has for all of them says nothing of one.
public struct PersonalGit: Hashable, Sendable {
    /// In the order in which git reads them.
    private let files: [String]
    private let home: String?

    /// The files that these environment variables lead to: `GIT_CONFIG_GLOBAL`, or else `XDG_CONFIG_HOME` and `HOME`.
    ///
    /// - Parameter variable: The environment.
    public init(_ variable: (String) -> String?) {
        let home = variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.home = home
        if let file = variable("GIT_CONFIG_GLOBAL") {
            files = file.isEmpty ? [] : [file]
            return
        }
        let folder = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        files =
            [folder ?? home.map { FileAccess.path($0, ".config") }].compactMap { $0 }.map { $0 + "/git/config" }
            + [home].compactMap { $0 }.map { FileAccess.path($0, ".gitconfig") }
    }

    /// Who commits in a repository, where these files say so of it and not of all; nil also where that cannot be told for
    /// certain.
    ///
    /// - Parameter urls: Those of the repository's remotes.
    func committer(in repository: GitRepository, urls: [String]) -> MailAddress? {
        var reading = Reading(repository: repository, urls: urls, home: home.flatMap { FileAccess.realPath($0) })
        for file in files {
            do {
                try reading.read(file, depth: 0, isConditional: false)
            } catch {
                return nil
            }
        }
        return reading.isConditional ? reading.committer : nil
    }
}

extension PersonalGit {
    /// What stands in the files that have been read.
    private struct Reading {
        /// How deep files may include others, as in git, and how many files are read in all.
        private static let depthLimit = 10
        private static let countLimit = 32

        let repository: GitRepository
        let urls: [String]
        let home: String?

        private(set) var committer: MailAddress?
        /// Whether that is so for some repositories alone.
        private(set) var isConditional = false
        private var count = 0

        init(repository: GitRepository, urls: [String], home: String?) {
            self.repository = repository
            self.urls = urls
            self.home = home
        }

        /// Reads a file and those that it includes, where it includes them.
        mutating func read(_ path: String, depth: Int, isConditional: Bool) throws(GitConfiguration.Obstacle) {
            guard depth <= Self.depthLimit, count < Self.countLimit else { throw .unsuitable }
            count += 1
            let configuration: GitConfiguration
            do {
                configuration = try GitConfiguration(at: path)
            } catch {
                guard error == .missing else { throw error }
                return
            }
            guard !configuration.isOpenToAll else { throw .unsuitable }
            for entry in configuration.entries {
                if entry.isCommitter {
                    (committer, self.isConditional) = (entry.value.flatMap { MailAddress($0) }, isConditional)
                    continue
                }
                guard entry.name == "path" else { continue }
                if entry.section == "includeif", let condition = entry.subsection {
                    guard let holds = holds(condition, in: path) else { throw .unsuitable }
                    guard holds else { continue }
                } else if entry.section != "include" || entry.subsection != nil {
                    continue
                }
                guard let value = entry.value, let included = file(value, from: path) else { throw .unsuitable }
                try read(
                    included, depth: depth + 1, isConditional: isConditional || entry.section == "includeif")
            }
        }

        /// Whether a condition of the file at `path` holds; nil where nobody can tell.
        private func holds(_ condition: String, in path: String) -> Bool? {
            if let pattern = condition.behind("gitdir:") { return isHere(pattern, in: path, isCaseless: false) }
            if let pattern = condition.behind("gitdir/i:") { return isHere(pattern, in: path, isCaseless: true) }
            guard let text = condition.behind("hasconfig:remote.*.url:"), let pattern = GitPattern(text) else {
                return nil
            }
            return urls.contains { pattern.matches($0) }
        }

        /// Whether the repository is where a pattern says.
        private func isHere(_ text: String, in path: String, isCaseless: Bool) -> Bool? {
            var text = text
            if let rest = text.behind("~/") {
                guard let home else { return nil }
                text = FileAccess.path(GitPattern.literal(home), rest)
            } else if let rest = text.behind("./") {
                guard let folder = FileAccess.realPath(path).map(FileAccess.folder(of:)) else { return nil }
                text = FileAccess.path(GitPattern.literal(folder), rest)
            } else if text.hasPrefix("~") {
                return nil
            } else if !text.hasPrefix("/") {
                text = "**/" + text
            }
            if text.hasSuffix("/") { text += "**" }
            guard let pattern = GitPattern(text, isCaseless: isCaseless) else { return nil }
            return pattern.matches(repository.ownFolder) || pattern.matches(repository.realFolder)
        }

        /// The file that another one at `path` names; nil for one that lies where the repository's own content does, which
        /// others have written.
        private func file(_ name: String, from path: String) -> String? {
            let file: String
            if name.hasPrefix("/") {
                file = name
            } else if let rest = name.behind("~/") {
                guard let home else { return nil }
                file = FileAccess.path(home, rest)
            } else {
                guard !name.isEmpty, !name.hasPrefix("~"),
                    let folder = FileAccess.realPath(path).map(FileAccess.folder(of:))
                else { return nil }
                file = FileAccess.path(folder, name)
            }
            guard let real = FileAccess.realPath(file) else { return file }
            return repository.contains(real) ? nil : real
        }
    }
}

extension String {
    /// What follows a text with which it begins; nil where it begins otherwise.
    fileprivate func behind(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
