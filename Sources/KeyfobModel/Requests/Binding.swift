/// The owner's word that a directory, an address, a host or a tool uses a certain account.
public struct Binding: Hashable, Sendable {
    /// What is bound.
    public let subject: Subject
    /// To what.
    public let target: Target
    /// The tenant whose tokens are used, where the binding names one; else it is the account's home.
    public let tenant: String?
    /// Where the binding stands.
    public let origin: Origin
    /// Who made it.
    public let writer: DecisionWriter

    /// A binding.
    public init(
        _ subject: Subject, to target: Target, tenant: String? = nil, from origin: Origin,
        by writer: DecisionWriter = .unknown
    ) {
        self.writer = writer
        self.tenant = tenant
        self.subject = subject
        self.target = target
        self.origin = origin
    }

    /// What is bound, the most specific kind first.
    public enum Subject: Hashable, Sendable {
        /// A directory and what is below it: an absolute path.
        case directory(String)
        /// An address and what is below it.
        case url(ResourceURL)
        /// A host, with `:port` where the port is not the scheme's own.
        case host(String)
        /// A program, by its name.
        case tool(String)
    }

    /// What a subject is bound to.
    public enum Target: Hashable, Sendable {
        /// This account.
        case account(AccountID)
        /// No account: wider bindings do not count either.
        case nobody
    }

    /// Where a binding stands.
    public enum Origin: Hashable, Sendable {
        /// In the keyring, in this group.
        case keyring(AccessGroup)
        /// In a file that the owner allowed, at this path; it counts for this group.
        case file(String, AccessGroup)

        /// The group whose accounts the binding is about.
        public var group: AccessGroup {
            switch self {
            case .keyring(let group), .file(_, let group): group
            }
        }
    }
}
