internal import KeyfobModel
internal import KeyfobRecords

/// How permissions are kept: each as a setting of its group for each action, `program:<program>:<action>:<account or *>:<client or *>`.
///
/// One that forbids has `:never` behind it, so that none that allows takes its place, and `*` in the place of the action where it
/// forbids all. The value is `always` or `never`, perhaps `sha256=` with the digest, and the scopes.
struct ProgramSetting {
    static let prefix = "program:"
    private static let any = "*"

    let name: String
    let value: String

    /// The settings of a permission.
    static func settings(of permission: ProgramPermission) -> [ProgramSetting] {
        let isAll = !permission.isAllowed && permission.actions == .all
        return (isAll ? [nil] : permission.actions.inOrder.map(Optional.some)).map { action in
            ProgramSetting(permission, action)
        }
    }

    private init(_ permission: ProgramPermission, _ action: ProgramAction?) {
        name =
            Self.prefix(of: permission.program) + (action?.rawValue ?? Self.any) + ":"
            + Self.part(permission.account?.canonical) + ":" + Self.part(permission.clientID)
            + (permission.isAllowed ? "" : ":never")
        let words =
            [permission.isAllowed ? "always" : "never"] + (permission.digest.map { ["sha256=" + $0] } ?? [])
            + (action?.hasScopes ?? true ? permission.scopes.scopes : [])
        value = words.joined(separator: " ")
    }

    static func prefix(of program: Program) -> String { "\(prefix)\(part(program.description)):" }

    /// The permission in a setting; nil where it is about no program.
    ///
    /// What makes no sense, or is of a newer Keyfob, forbids: it may have been meant so.
    static func permission(_ setting: Setting, in group: AccessGroup) -> ProgramPermission? {
        guard setting.name.hasPrefix(prefix) else { return nil }
        let parts = setting.name.dropFirst(prefix.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let program = parts.first.flatMap(text).flatMap({ Program($0) }) else { return nil }
        let denial = ProgramPermission(of: program, isAllowed: false, in: group, by: setting.writer)
        guard parts.count == 4 || parts.count == 5 && parts[4] == "never" else { return denial }
        let isAllowed = parts.count == 4
        let action = ProgramAction(rawValue: String(parts[1]))
        guard action != nil || parts[1] == any && !isAllowed else { return denial }
        var account: AccountID?
        if parts[2] != any {
            guard let id = text(parts[2]).flatMap({ AccountID($0) }) else { return denial }
            account = id
        }
        guard parts[3] == any || text(parts[3]) != nil else { return denial }
        var words = setting.value.split(separator: " ")[...]
        guard words.popFirst() == (isAllowed ? "always" : "never") else { return denial }
        var digest: String?
        if let first = words.first, first.hasPrefix("sha256=") {
            digest = String(first.dropFirst("sha256=".count))
            words = words.dropFirst()
        }
        return ProgramPermission(
            of: program, to: action.map { [$0] } ?? .all, account: account,
            clientID: parts[3] == any ? nil : text(parts[3]), scopes: ScopeSet(words.map(String.init)), digest: digest,
            isAllowed: isAllowed, in: group, by: setting.writer)
    }

    /// The permissions of settings, of which those that differ in the action alone are one again.
    static func permissions(_ settings: [Setting], in group: AccessGroup) -> [ProgramPermission] {
        var found: [ProgramPermission] = []
        let single = settings.compactMap { permission($0, in: group) }
        // Those with scopes first: an action without any joins them.
        for permission in single.filter(\.hasScopes) + single.filter({ !$0.hasScopes }) {
            if let place = found.firstIndex(where: { $0.differsInActions(from: permission) }) {
                found[place] = found[place].adding(permission.actions)
            } else {
                found.append(permission)
            }
        }
        return found
    }

    /// A part without the colon that ends it, and never `*`, which means all.
    private static func part(_ text: String?) -> String { text.map { PercentEncoding.encode($0, only: ":*") } ?? any }

    private static func text(_ part: Substring) -> String? {
        PercentEncoding.decode(part.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension ProgramPermission {
    /// Whether scopes mean something for it.
    fileprivate var hasScopes: Bool { actions.contains(where: \.hasScopes) }

    /// Whether both say the same of different actions.
    fileprivate func differsInActions(from other: ProgramPermission) -> Bool {
        program == other.program && account == other.account && clientID == other.clientID && digest == other.digest
            && isAllowed == other.isAllowed && group == other.group && writer == other.writer
            && (scopes == other.scopes || isAllowed && (!hasScopes || !other.hasScopes))
    }

    fileprivate func adding(_ more: Set<ProgramAction>) -> ProgramPermission {
        ProgramPermission(
            of: program, to: actions.union(more), account: account, clientID: clientID, scopes: scopes,
            digest: digest, isAllowed: isAllowed, in: group, by: writer)
    }
}
