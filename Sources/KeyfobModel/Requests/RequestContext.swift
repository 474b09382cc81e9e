/// Where a request comes from and what it is for: the evidence for whose token it wants.
///
/// What is not known is nil, and matches nothing.
public struct RequestContext: Hashable, Sendable {
    /// What the token is for.
    public var url: ResourceURL?
    /// The calling program's name: `gh`, `terraform`.
    public var tool: String?
    /// The working directory: absolute, symbolic links resolved.
    public var directory: String?
    /// Where the git repository lies of which that directory has a working tree elsewhere.
    public var repository: String?
    /// The git remote of that directory.
    public var remote: ResourceURL?
    /// The mail address that git is to put into the commits of that directory's repository, where it is set for that
    /// repository and not for all.
    public var committer: MailAddress?
    /// The folders from which the programs were called that have called the one that asks: they count where nothing else decides.
    package var callers = Callers.ignored

    package enum Callers: Hashable, Sendable {
        case ignored
        /// Those of the programs that have called this one, looked at when they are needed.
        case ofThisProcess
        /// Real paths, the nearest first.
        case known([String])
    }

    /// A context; what is not given is not known.
    public init(
        url: ResourceURL? = nil, tool: String? = nil, directory: String? = nil, remote: ResourceURL? = nil,
        committer: MailAddress? = nil
    ) {
        self.url = url
        self.tool = tool
        self.directory = directory
        self.remote = remote
        self.committer = committer
    }

    /// What git is called as a tool.
    package static let git = "git"

    /// The address of the request: the one it names, or else the remote of its directory.
    public var address: ResourceURL? { url ?? remote }
}
