internal import KeyfobFiles
public import KeyfobModel

/// What a working directory tells of a request: the directory itself, its git remote, and who commits there.
///
/// Finding it takes a few calls on files, starts no program, and never fails: what cannot be told is
/// not known. A repository that belongs to somebody else tells nothing, as in git.
public struct DirectoryContext: Hashable, Sendable {
    /// The directory: absolute, symbolic links resolved; nil when there is none any more.
    public let directory: String?
    /// Where the repository lies of which the directory has a working tree elsewhere.
    public let repository: String?
    /// The remote `origin` of the git repository around it, or its only remote.
    public let remote: ResourceURL?
    /// The addresses of all its remotes.
    let remotes: [ResourceURL]
    /// The address in `user.email`, where it is set for that repository and not for all.
    public let committer: MailAddress?

    /// The context of the directory at `path`, such as `.`.
    ///
    /// - Parameters:
    ///   - gitFolder: That of the repository with which git works, wherever that is; nil for the one around the directory.
    ///   - person: Whose own git configuration counts besides the repository's; nil for nobody's.
    public init(at path: String, gitFolder: String? = nil, person: PersonalGit? = nil) {
        guard let real = FileAccess.realPath(path), FileAccess.status(real, following: true)?.isDirectory == true else {
            (directory, repository, remote, committer, remotes) = (nil, nil, nil, nil, [])
            return
        }
        let around = GitRepository(around: real)
        // In a clone it is where the clone will be.
        if let other = gitFolder.flatMap(GitRepository.init(folder:)), other.realFolder != around?.realFolder {
            (directory, repository) = (other.home, nil)
            (remote, remotes, committer) = other.context(person)
            return
        }
        directory = real
        repository = around?.homeOfTree.flatMap { real == $0 || real.hasPrefix($0 + "/") ? nil : $0 }
        (remote, remotes, committer) = around?.context(person) ?? (nil, [], nil)
    }

    /// Whether an address is another owner's than all remotes of the repository at the same host: then nothing that the
    /// repository says of its committer is about it.
    fileprivate func isForeign(_ url: ResourceURL?) -> Bool {
        guard let url, let owner = url.owner else { return false }
        let here = remotes.filter { $0.host == url.host }
        let own = ResourceURL(host: url.host, path: [owner])
        return !here.isEmpty && !here.contains { $0.isWithin(own) }
    }

    /// Where the repository around a directory lies, with which all its working trees count: the folder of its main working
    /// tree, or of a bare one itself; nil where there is none.
    ///
    /// A submodule is a repository of its own.
    package static func repository(around path: String) -> String? {
        guard let real = FileAccess.realPath(path) else { return nil }
        return GitRepository(around: real)?.place ?? GitRepository(folder: real).map { _ in real }
    }
}

extension RequestContext {
    /// The context of a request that comes from the directory at `workingDirectory`.
    package init(
        at workingDirectory: String, gitFolder: String? = nil, url: ResourceURL? = nil, tool: String? = nil,
        person: PersonalGit? = nil
    ) {
        let context = DirectoryContext(at: workingDirectory, gitFolder: gitFolder, person: person)
        self.init(
            url: url, tool: tool, directory: context.directory, remote: context.remote,
            committer: context.isForeign(url) ? nil : context.committer)
        repository = context.repository
        // Who installs hooks or packages has git work in folders of a cache.
        if tool == RequestContext.git { callers = .ofThisProcess }
    }
}
