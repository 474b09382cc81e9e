internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop

/// A tool's file that setup writes into, and what is noted of how it was before.
struct SetupFile {
    let tool: String
    let file: ForeignFile
    let note: SetupNotes.Note?
    private let lock: ForeignFile.LockPlace
    private let notes: SetupNotes
    private let global: GlobalOptions

    /// Reads the file at `path`.
    init(
        _ tool: String, _ path: String, lock: ForeignFile.LockPlace, _ global: GlobalOptions
    ) throws(KeyringError) {
        self.tool = tool
        self.lock = lock
        notes = SetupNotes(state: try global.location().state)
        self.global = global
        do throws(ForeignFile.Failure) {
            file = try ForeignFile(path)
        } catch {
            throw Self.error(error, path)
        }
        note = try? notes.note(tool, file.target)
    }

    var path: String { file.path }
    /// What is in it; nothing where there is none.
    var text: [UInt8] { file.content ?? [] }

    /// What is to be done with the file.
    ///
    /// - Parameter hint: What does it without setup.
    func plan(
        hint: String, _ plan: ([UInt8]) throws(SetupFlaw) -> SetupPlan
    ) throws(KeyringError) -> SetupPlan {
        do throws(SetupFlaw) {
            return try plan(text)
        } catch {
            let code: KeyringError.Code = if case .taken = error { .alreadyExists } else { .configuration }
            let check: String? = if case .unreadable(let command) = error { command } else { nil }
            throw KeyringError(
                code, "\(path): \(error); nothing was changed",
                hint: check.map { "'\($0)' says where; mend that, and try again" } ?? hint)
        }
    }

    /// For what the tool asks Keyfob, as the file has it; nil where it does not ask.
    func present(_ read: ([UInt8]) throws(SetupFlaw) -> [String]) throws(KeyringError) -> [String]? {
        do throws(SetupFlaw) {
            let present = try read(text)
            return present.isEmpty ? nil : present
        } catch {
            throw KeyringError(.configuration, "\(path): \(error)")
        }
    }

    /// Makes sure, before anybody is asked, that the file could be written.
    func requireWritable() throws(KeyringError) {
        do throws(ForeignFile.Failure) { try file.requireWritable() } catch { throw Self.error(error, path) }
    }

    /// Writes entries, after a note of what was there before.
    ///
    /// - Parameter present: The entries of that kind which are there: of those that are noted, the note is still true.
    func write(_ plan: SetupPlan, entries: [String], beside present: [String] = []) throws(KeyringError) {
        let earlier = note.flatMap { $0.entries.contains(where: present.contains) ? $0 : nil }
        let former: SetupNotes.Former =
            file.content.map { $0.isEmpty ? .emptyFile : .text }
            ?? (file.missingFolders == 0 ? .noFile : .noFolder(file.missingFolders))
        var new = earlier ?? SetupNotes.Note(former: former, form: plan.former.rawValue, entries: [])
        new.entries += entries.filter { !new.entries.contains($0) }
        try change(noting: new) { () throws(ForeignFile.Failure) in
            try file.replace(with: plan.edit.applied(to: text), lock: lock)
        }
        global.note(LastingChange(.toolSetUp, typed), isOfVault: false)
    }

    /// What was typed behind `keyfob setup`, before any option.
    private var typed: String {
        let words = CommandLine.arguments.drop { $0 != "setup" }.dropFirst().prefix { !$0.hasPrefix("-") }
        return words.first == nil ? tool : words.joined(separator: " ")
    }

    /// Takes entries out; a file that setup has made goes, where nothing else is in it.
    ///
    /// - Parameters:
    ///   - rest: The entries that stay noted.
    ///   - isBlank: Whether a text says nothing to the tool.
    /// - Returns: Whether the file is gone.
    func undo(_ plan: SetupPlan, rest: [String], isBlank: ([UInt8]) -> Bool) throws(KeyringError) -> Bool {
        let left = plan.edit.applied(to: text)
        var bytes: [UInt8]? = left
        if isBlank(left) {
            switch note?.former {
            case .noFile?, .noFolder?: bytes = nil
            case .emptyFile?: bytes = []
            case .text?, nil: break
            }
        }
        var new = note
        new?.entries = rest
        try change(notingAfter: rest.isEmpty ? nil : new) { () throws(ForeignFile.Failure) in
            try file.replace(with: bytes, lock: lock)
            if bytes == nil, case .noFolder(let count) = note?.former { file.removeFolders(count) }
        }
        global.note(LastingChange(.toolTakenOut, typed), isOfVault: false)
        return bytes == nil
    }

    /// What stood where the entries are that are noted.
    var former: FormerEntries { note.flatMap { FormerEntries(rawValue: $0.form) } ?? .some }

    /// The entries that are noted.
    var entries: [String] { note?.entries ?? [] }

    private func change(
        noting note: SetupNotes.Note, _ body: () throws(ForeignFile.Failure) -> Void
    ) throws(KeyringError) {
        try alone("nothing was changed") {
            try notes.keep(note, of: tool, file.target)
            try body()
        }
    }

    private func change(
        notingAfter note: SetupNotes.Note?, _ body: () throws(ForeignFile.Failure) -> Void
    ) throws(KeyringError) {
        try alone("\(path) is changed all the same") {
            try body()
            try notes.keep(note, of: tool, file.target)
        }
    }

    /// - Parameter state: What has become of the file where the note of it fails.
    private func alone(_ state: String, _ body: () throws -> Void) throws(KeyringError) {
        do {
            try notes.alone(body)
        } catch let failure as ForeignFile.Failure {
            throw Self.error(failure, path)
        } catch StoreError.diskFull {
            throw KeyringError.diskFull(writing: notes.path, "what setup does was not noted; \(state)")
        } catch {
            throw KeyringError(
                .inputOutput, "setup's note of what it does could not be written to \(notes.path); \(state)",
                hint: "make that a file that you can write, and try again")
        }
    }

    private static func error(_ failure: ForeignFile.Failure, _ path: String) -> KeyringError {
        KeyringError(failure, of: path, byHand: "write the lines above")
    }
}
