extension Binding.Subject {
    /// The kind's name, as documents and commands have it: `directory`, `url`, `host`, `tool`.
    public var kind: String {
        switch self {
        case .directory: "directory"
        case .url: "url"
        case .host: "host"
        case .tool: "tool"
        }
    }

    /// What is bound, as people type it.
    public var text: String {
        switch self {
        case .directory(let path): path
        case .url(let url): url.description
        case .host(let host): host
        case .tool(let name): name
        }
    }

    /// The subject whose ``kind`` and ``text`` these are; nil where they are none's.
    public init?(kind: String, text: String) {
        switch kind {
        case "directory":
            guard text.hasPrefix("/") else { return nil }
            self = .directory(text)
        case "url", "host":
            // A port that is the own one of https is shown where the scheme is another.
            let readings = ["https://", "http://"].compactMap { try? ResourceURL(parsing: $0 + text) }
            guard let url = readings.first(where: { $0.description == text }) else { return nil }
            guard (kind == "host") == url.path.isEmpty else { return nil }
            self = .address(url)
        case "tool":
            guard let tool = Self(tool: text) else { return nil }
            self = tool
        default: return nil
        }
    }

    /// An address, in the one spelling in which it is compared: without a path, it is a host.
    public static func address(_ url: ResourceURL) -> Self {
        url.path.isEmpty ? .host(url.host) : .url(url.compared)
    }

    /// A program by its name; nil for a name that is blank, or a path, or holds control characters.
    public init?(tool name: String) {
        guard Identifier.isAcceptable(name), !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        self = .tool(name)
    }

    /// The most specific kind first.
    fileprivate var rank: Int {
        switch self {
        case .directory: 0
        case .url: 1
        case .host: 2
        case .tool: 3
        }
    }
}

extension Binding.Target {
    /// The account, unless the subject is bound to none.
    public var account: AccountID? {
        switch self {
        case .account(let id): id
        case .nobody: nil
        }
    }

    /// The canonical host of the account's provider; nil for "no account", which is about all of them.
    public var environment: String? {
        account.flatMap { $0.canonical.split(separator: "@").last.map(String.init) }
    }

    /// The account's id in its canonical spelling, or `none`.
    public var text: String { account?.canonical ?? "none" }

    /// The target that ``text`` tells; nil where it makes no sense.
    public init?(text: String) {
        if text == "none" {
            self = .nobody
        } else {
            guard let id = AccountID(text) else { return nil }
            self = .account(id)
        }
    }
}

extension Binding {
    /// Whether one of two bindings of one subject has to give way: they are about the same provider, or one of
    /// them is about all of their group.
    package func excludes(_ other: Binding) -> Bool {
        guard subject == other.subject else { return false }
        guard let mine = target.environment, let its = other.target.environment else {
            return origin.group == other.origin.group
        }
        return mine == its
    }

    /// Whether this one and one of another group speak against each other, so that neither counts where both groups are asked.
    public func contradicts(_ other: Binding) -> Bool {
        target.account != nil && other.target.account != nil && excludes(other)
            && (writer, other.writer) == (.owner, .owner) && origin.group != other.origin.group
    }

    /// Whether a file's binding gives way to this one, which stands in the keyring: never one of the owner's to one
    /// of somebody with a group's key, nor any of those to that of another group.
    package func overrides(_ file: Binding) -> Bool {
        guard excludes(file) else { return false }
        return writer == .owner || writer == file.writer && origin.group == file.origin.group
    }

    /// The bindings of the keyring and those of files: on one directory the keyring's count before a file's.
    package static func combined(_ bindings: [Binding], with files: [Binding]) -> [Binding] {
        bindings + files.filter { file in !bindings.contains { $0.overrides(file) } }
    }
}

extension Binding: Comparable {
    /// Orders by kind, the most specific first, then by subject, account, place and group.
    public static func < (left: Binding, right: Binding) -> Bool { left.order < right.order }

    private var order: (Int, String, String, String, String) {
        let file = if case .file(let path, _) = origin { path } else { "" }
        return (subject.rank, subject.text, target.text, file, origin.group.name)
    }
}
