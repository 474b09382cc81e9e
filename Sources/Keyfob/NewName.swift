internal import KeyfobModel

/// What a group, a label or a device may be called from now on: one rule for every door by which a name comes in.
///
/// What is stored already stays readable whatever its name, and a backup of the vault's owner brings it back.
enum NewName: String {
    case group
    case label
    case device

    /// The longest name, in bytes.
    private static let limit = 255

    /// Makes sure that a name may be given.
    ///
    /// - Throws: `usage`.
    func require(_ name: String) throws(KeyringError) {
        guard let flaw = flaw(of: name) else { return }
        throw KeyringError(.usage, flaw)
    }

    /// Why a name may not be given; nil where it may.
    func flaw(of name: String) -> String? {
        let what = self == .group ? "a group's name" : self == .label ? "a label" : "a device's name"
        guard Identifier.isAcceptable(name) else { return "\(what) cannot be blank or hold control characters" }
        guard name.utf8.count <= Self.limit else { return "\(what) has at most \(Self.limit) bytes" }
        guard name.first?.isWhitespace == false, name.last?.isWhitespace == false else {
            return "\(what) cannot start or end with a space"
        }
        guard self != .label else { return nil }
        if name.hasPrefix("-") { return "\(what) cannot start with '-', as options do" }
        guard self == .group else { return nil }
        if [".", ".."].contains(name) { return "'\(name)' is no name for a group, but for a folder" }
        if name.contains(where: { "/\\".contains($0) }) { return "\(what) cannot hold '/' or '\\'" }
        if name.split(separator: " ", omittingEmptySubsequences: false).contains("")
            || name.contains(where: { $0.isWhitespace && $0 != " " })
        {
            return "\(what) can hold single spaces alone"
        }
        return nil
    }
}

extension AccessGroup {
    /// Makes sure that a group may be called so from now on, beside others.
    ///
    /// - Throws: `usage`; `alreadyExists` for a name that differs from another group's in its letters' case alone.
    func requireNew(among groups: [AccessGroup]) throws(KeyringError) {
        try NewName.group.require(name)
        guard let other = groups.first(where: { isConfusable(with: $0) }) else { return }
        throw KeyringError(
            .alreadyExists, "there is a group '\(other)', from which '\(self)' differs in upper and lower case alone",
            advice: .listGroups)
    }

    /// Whether both names are the same to whoever reads them, without being it.
    func isConfusable(with other: AccessGroup) -> Bool {
        self != other && Identifier.foldedName(name) == Identifier.foldedName(other.name)
    }

    /// The name, with other characters in the place of those that a new name cannot have.
    var asNew: AccessGroup {
        guard NewName.group.flaw(of: name) != nil else { return self }
        let words = name.split { $0.isWhitespace || "/\\".contains($0) }.joined(separator: "-")
        let mended = words.drop { "-.".contains($0) }
        return (try? AccessGroup(mended.isEmpty ? "group" : String(mended))) ?? self
    }
}
