/// What setup does to a tool's file.
package struct SetupPlan: Hashable, Sendable {
    /// The change; empty where there is nothing to do.
    package let edit: TextEdit
    /// What stood where the entries go.
    package let former: FormerEntries
    /// What the owner should know of what else the file says, one line each.
    package let remarks: [String]

    init(_ edit: TextEdit, former: FormerEntries = .some, remarks: [String] = []) {
        self.edit = edit
        self.former = former
        self.remarks = remarks
    }
}

/// What stood in a tool's file where setup puts entries; with it, undoing leaves the file byte for byte as it was.
///
/// Whoever makes it up decides only which of these is left, of a list that setup's entries have had to themselves.
package enum FormerEntries: String, Sendable {
    /// The list, with other entries or none.
    case some
    /// Not even the list.
    case nothing
    /// The list, written `[]`, `null`, or as its name alone.
    case brackets, null, bare
}

/// Why setup leaves a tool's file alone; no case holds any of its text.
package enum SetupFlaw: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not what the tool reads, or not in the form in which the tool writes it.
    case unknownForm(String)
    /// The tool itself cannot read it; `check` is a command of the tool's that says where.
    case unreadable(check: String)
    /// What looks like setup's own is not as setup writes it, from this line on.
    case changed(line: Int)
    /// An entry of this name is somebody else's.
    case taken(String)

    package var description: String {
        switch self {
        case .unknownForm(let words): words
        case .unreadable: "the tool cannot read it"
        case .changed(let line): "what stands from line \(line) on is not as setup writes it"
        case .taken(let name): "there is an entry '\(name)' that setup did not make, or made with other options"
        }
    }
}
