package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

// A change is noted in the transaction that makes it. What was replaced or removed is kept in the journal. What is only added
// says in its own record by which run it came, so that adding writes no other record.

/// The run of a command that a change is noted as.
package struct ChangeNote: Sendable {
    /// The run.
    package let entry: JournalEntry
    /// Whether records that are new name the run; what an undo brings back names the one that it named before.
    package let marksNew: Bool

    /// A change by a command, or by an undo.
    package init(_ entry: JournalEntry, marksNew: Bool = true) {
        self.entry = entry
        self.marksNew = marksNew
    }
}

extension GroupWriter {
    /// Notes from now on what changes, and writes it down at the end of the change.
    ///
    /// Of more than ``journalLimit`` that was replaced or removed nothing is kept but that it was too much.
    package func note(as note: ChangeNote?) {
        guard let note else { return }
        noting = note
        if note.marksNew { origin = RecordOrigin(note.entry, milliseconds: milliseconds).encoded }
        draft = JournalDraft(limit: Self.journalLimit)
    }

    /// Notes what no record says.
    package func note(_ act: JournalAct, of entry: JournalEntry) throws {
        let (name, value) = act.setting(of: entry)
        let content = ItemContent.setting(name: name, value: value)
        let body = SettingBody.signed(SettingBody.encode(name, value), content, keys)
        let item = try JournalItem(
            entry, .setting, former: JournalItem.Former(body: body, flags: 0, secretCount: 0), left: nil)
        var header = header(.journal, RecordIndex())
        header.isThisDeviceOnly = true
        let record = try keys.seal(header, attributes: JournalBody.encode(item))
        displaced += try makeRoom(for: record.attributes.ciphertext.count, count: 1, of: entry)
        try insert(record)
    }

    /// Writes down what has changed.
    func writeNotes() throws {
        guard let note = noting else { return }
        (noting, origin) = (nil, nil)
        guard draft?.isTooLarge ?? false else {
            displaced += try endJournal(note.entry, keepingEverything: true)?.displaced ?? 0
            return
        }
        draft = nil
        wasTooMuch = true
        try self.note(.tooMuch, of: note.entry)
    }

    /// Lets a new record say by which run it came.
    ///
    /// Of what moves or comes back it is still the run that once added it.
    func mark(_ body: inout FieldList, of content: ItemContent) {
        if let origin, content.isKeptForUndo { body.setOrigin(origin) }
    }
}

extension GroupWriter {
    /// Whether a record is not any more what a command has added: a later one makes it another, or another machine has.
    ///
    /// What is got silently for a sign-in, such as a newer token, changes nothing of that.
    func isChange(
        of former: FieldList, _ kind: RecordHeader.Kind, to content: ItemContent, isSameSecret: Bool,
        isElsewhere: Bool = false
    ) -> Bool {
        let isNewSignIn = isOfProgram && kind == .refreshToken && !isSameSecret
        guard isElsewhere || isNewSignIn || draft != nil && noting?.marksNew ?? true, !former.isChanged,
            let origin = former.origin(), origin.entry != noting?.entry
        else { return false }
        guard isSameSecret, let before = try? ItemBody.decode(former, kind) else { return true }
        return ItemDigest.of(before) != ItemDigest.of(content)
    }
}

/// What a command did that no record says.
///
/// It is kept in the journal as a setting of a name that none has, with the owner's MAC, so that nobody with a group's key alone
/// can have the owner do it.
package enum JournalAct: Hashable, Sendable {
    /// It made the group.
    case groupMade
    /// It gave the group another name than this one.
    case groupRenamed(from: String)
    /// It moved an account here, out of this group.
    case accountMoved(AccountID, from: GroupID)
    /// It replaced and removed more than is kept: none of that comes back.
    case tooMuch
    /// It did what no undo takes back: of this kind, to this.
    case lasting(kind: String, subject: String)

    /// What it did that no undo takes back; nil for what one may.
    package var lastingChange: LastingChange? {
        guard case .lasting(let kind, let subject) = self else { return nil }
        return LastingChange(LastingChange.Kind(rawValue: kind) ?? .other, subject)
    }

    /// An act that no undo takes back.
    package init(_ change: LastingChange) { self = .lasting(kind: change.kind.rawValue, subject: change.subject) }

    /// The name and the value of the setting that stands for it; the name is of this run alone.
    func setting(of entry: JournalEntry) -> (name: String, value: String) {
        let (word, value) =
            switch self {
            case .groupMade: ("made", "")
            case .groupRenamed(let name): ("renamed", name)
            case .accountMoved(let id, let group): ("moved", "\(group) \(id.canonical)")
            case .tooMuch: ("much", "")
            case .lasting(let kind, let subject): ("done", "\(kind) \(subject)")
            }
        return ("\(JournalEntry.reservedPrefix)\(word) \(entry.key)", value)
    }

    /// What an item of the journal stands for; nil for one that is what it says.
    package init?(_ item: JournalItem) {
        guard case .setting(let name, let value?) = item.content, name.hasPrefix(JournalEntry.reservedPrefix) else {
            return nil
        }
        let words = name.split(separator: " ")
        switch words.count > 1 ? words[1] : "" {
        case "made": self = .groupMade
        case "renamed": self = .groupRenamed(from: value)
        case "much": self = .tooMuch
        case "done":
            guard let blank = value.firstIndex(of: " ") else { return nil }
            self = .lasting(kind: String(value[..<blank]), subject: String(value[value.index(after: blank)...]))
        case "moved":
            let parts = value.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let bytes = Hexadecimal.bytes(parts[0]), let group = GroupID(bytes),
                let id = AccountID(String(parts[1]))
            else { return nil }
            self = .accountMoved(id, from: group)
        default: return nil
        }
        guard setting(of: item.entry) == (name, value) else { return nil }
    }
}

extension JournalEntry {
    private static let undoing = "undo of "
    private static let redoing = "redo of "

    /// Whether it is an undo, after which things stand as before a command.
    ///
    /// The undo of an undo is a change as any other.
    package var isUndo: Bool { command.hasPrefix(Self.undoing) }

    /// Whether it is an undo, or the undo of one.
    var isOfUndo: Bool { isUndo || command.hasPrefix(Self.redoing) }

    /// What people read of the undo of this one.
    package var nameOfUndo: String {
        let isRedo = command.hasPrefix(Self.redoing)
        let name = isUndo || isRedo ? String(command.dropFirst(Self.undoing.count)) : command
        return Self.fitting((isUndo ? Self.redoing : Self.undoing) + name)
    }
}
