public import KeyfobModel
internal import KeyfobRecords

/// What a program may have of a group, and who decided so.
public struct ProgramPermission: Hashable, Sendable {
    /// The program.
    public let program: Program
    /// For which account; nil for each of the group.
    public let account: AccountID?
    /// For which client; nil for any.
    public let clientID: String?
    /// For which scopes; empty for any.
    public let scopes: ScopeSet
    /// The SHA-256 of the program's file, 64 hexadecimal digits: with other content it is another program; nil where that
    /// does not count.
    public let digest: String?
    /// Whether it has them, or never.
    public let isAllowed: Bool
    /// The group whose accounts it is about.
    public let group: AccessGroup
    /// Who decided.
    public let writer: DecisionWriter

    /// A permission.
    public init(
        of program: Program, account: AccountID? = nil, clientID: String? = nil, scopes: ScopeSet = [],
        digest: String? = nil, isAllowed: Bool = true, in group: AccessGroup, by writer: DecisionWriter = .unknown
    ) {
        self.program = program
        self.account = account
        self.clientID = clientID
        self.scopes = scopes
        self.digest = digest
        self.isAllowed = isAllowed
        self.group = group
        self.writer = writer
    }

    /// Whether it decides about a token of this account, for this client and these scopes.
    ///
    /// One that forbids does so where any of the scopes is among its own, and where none are named.
    func covers(_ account: AccountID, _ clientID: String?, _ scopes: ScopeSet) -> Bool {
        guard self.account.map({ $0 == account }) ?? true else { return false }
        if let own = self.clientID {
            guard let clientID else { return !isAllowed }
            guard own == clientID else { return false }
        }
        guard !self.scopes.isEmpty else { return true }
        return isAllowed
            ? !scopes.isEmpty && scopes.isSubset(of: self.scopes) : scopes.isEmpty || scopes.intersects(self.scopes)
    }
}

/// Whether a program may have a token.
public enum ProgramVerdict: Hashable, Sendable {
    /// It may, by this permission.
    case allowed(ProgramPermission)
    /// It never may, by this one.
    case denied(ProgramPermission)
    /// It might, but its file has changed since this permission was given.
    case changed(ProgramPermission)
    /// Nobody has decided.
    case undecided
}

extension Sequence<ProgramPermission> {
    /// What they say of a token: one that forbids counts before all that allow.
    ///
    /// - Parameters:
    ///   - digest: That of the program's file; asked for only where a permission depends on it.
    public func verdict(
        on program: Program, digest: () -> String?, account: AccountID, in group: AccessGroup, clientID: String?,
        scopes: ScopeSet
    ) -> ProgramVerdict {
        let about = filter { $0.program == program && $0.group == group && $0.covers(account, clientID, scopes) }
        if let denial = about.first(where: { !$0.isAllowed }) { return .denied(denial) }
        if let free = about.first(where: { $0.digest == nil }) { return .allowed(free) }
        guard let bound = about.first else { return .undecided }
        guard let digest = digest(), let same = about.first(where: { $0.digest == digest }) else {
            return .changed(bound)
        }
        return .allowed(same)
    }
}

/// How a permission is kept: as a setting of its group, `program:<program>:<account or *>:<client or *>`.
///
/// One that forbids has `:never` behind it, so that none that allows takes its place. The value is `always` or `never`, perhaps
/// `sha256=` with the digest, and the scopes.
struct ProgramSetting {
    static let prefix = "program:"

    static func name(_ permission: ProgramPermission) -> String {
        prefix(of: permission.program) + part(permission.account?.canonical) + ":" + part(permission.clientID)
            + (permission.isAllowed ? "" : ":never")
    }

    static func prefix(of program: Program) -> String { "\(prefix)\(part(program.description)):" }

    static func value(_ permission: ProgramPermission) -> String {
        let words =
            [permission.isAllowed ? "always" : "never"] + (permission.digest.map { ["sha256=" + $0] } ?? [])
            + permission.scopes.scopes
        return words.joined(separator: " ")
    }

    /// The permission in a setting; nil where it is about no program.
    ///
    /// What makes no sense, or is of a newer Keyfob, forbids: it may have been meant so.
    static func permission(_ setting: Setting, in group: AccessGroup) -> ProgramPermission? {
        guard setting.name.hasPrefix(prefix) else { return nil }
        let parts = setting.name.dropFirst(prefix.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let program = parts.first.flatMap(text).flatMap({ Program($0) }) else { return nil }
        let denial = ProgramPermission(of: program, isAllowed: false, in: group, by: setting.writer)
        guard parts.count == 3 || parts.count == 4 && parts[3] == "never" else { return denial }
        var account: AccountID?
        if parts[1] != "*" {
            guard let id = text(parts[1]).flatMap({ AccountID($0) }) else { return denial }
            account = id
        }
        guard parts[2] == "*" || text(parts[2]) != nil else { return denial }
        var words = setting.value.split(separator: " ")[...]
        guard let decision = words.popFirst(), decision == (parts.count == 3 ? "always" : "never") else {
            return denial
        }
        var digest: String?
        if let first = words.first, first.hasPrefix("sha256=") {
            digest = String(first.dropFirst("sha256=".count))
            words = words.dropFirst()
        }
        return ProgramPermission(
            of: program, account: account, clientID: parts[2] == "*" ? nil : text(parts[2]),
            scopes: ScopeSet(words.map(String.init)), digest: digest, isAllowed: decision == "always", in: group,
            by: setting.writer)
    }

    /// A part without the colon that ends it, and never `*`, which means all.
    private static func part(_ text: String?) -> String { text.map { PercentEncoding.encode($0, only: ":*") } ?? "*" }

    private static func text(_ part: Substring) -> String? {
        PercentEncoding.decode(part.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
