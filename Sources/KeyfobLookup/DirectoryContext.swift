internal import KeyfobFiles
public import KeyfobModel

/// What a working directory tells of a request: the directory itself and its git remote.
///
/// Finding it takes a few calls on files, starts no program, and never fails: what cannot be told is
/// not known. A repository that belongs to somebody else tells nothing, as in git.
public struct DirectoryContext: Hashable, Sendable {
    /// The directory: absolute, symbolic links resolved; nil when there is none any more.
    public let directory: String?
    /// The remote `origin` of the git repository around it, or its only remote.
    public let remote: ResourceURL?

    /// The context of the directory at `path`, such as `.`.
    public init(at path: String) {
        guard let real = FileAccess.realPath(path), FileAccess.status(real, following: true)?.isDirectory == true else {
            (directory, remote) = (nil, nil)
            return
        }
        directory = real
        remote = GitRepository(around: real)?.remote()
    }
}

extension RequestContext {
    /// The context of a request that comes from the directory at `workingDirectory`.
    package init(at workingDirectory: String, url: ResourceURL? = nil, tool: String? = nil) {
        let context = DirectoryContext(at: workingDirectory)
        self.init(url: url, tool: tool, directory: context.directory, remote: context.remote)
    }
}
