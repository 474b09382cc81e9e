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

    /// Reads the file at `path`.
    init(
        _ tool: String, _ path: String, lock: ForeignFile.LockPlace, _ global: GlobalOptions
    ) throws(KeyringError) {
        self.tool = tool
        self.lock = lock
        notes = SetupNotes(state: try global.location().state)
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
            throw KeyringError(code, "\(path): \(error); nothing was changed", hint: hint)
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
            file.content.map { $0.isEmpty ? .emptyFile : .text } ?? (file.hasFolder ? .noFile : .noFolder)
        var new = earlier ?? SetupNotes.Note(former: former, form: plan.former.rawValue, entries: [])
        new.entries += entries.filter { !new.entries.contains($0) }
        try change(noting: new) { () throws(ForeignFile.Failure) in
            try file.replace(with: plan.edit.applied(to: text), lock: lock)
        }
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
            if bytes == nil, note?.former == .noFolder { file.removeFolder() }
        }
        return bytes == nil
    }

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
        } catch {
            let code: KeyringError.Code = if case .diskFull? = error as? StoreError { .diskFull } else { .inputOutput }
            throw KeyringError(
                code, "setup's note of what it does could not be written to \(notes.path); \(state)",
                hint: "make that a file that you can write, and try again")
        }
    }

    private static func error(_ failure: ForeignFile.Failure, _ path: String) -> KeyringError {
        switch failure {
        case .danglingLink:
            KeyringError(.configuration, "\(path) is a link to nothing", hint: "make the file that it leads to")
        case .missingFolder: KeyringError(.configuration, "the folder of \(path) is not there")
        case .notAFile: KeyringError(.configuration, "\(path) is not a file that can be written")
        case .tooLarge(let limit): KeyringError(.limitExceeded, "\(path) has more than \(limit) bytes")
        case .readOnly:
            KeyringError(
                .inputOutput, "\(path), or its folder, cannot be written; nothing was changed",
                hint: "write the lines above where the file comes from")
        case .hasOtherNames:
            KeyringError(
                .configuration, "\(path) has other names too (hard links), which would go on showing what it was",
                hint: "write the lines above into it by hand")
        case .hasAccessList:
            KeyringError(
                .configuration, "\(path) has an access control list (ACL), which would be lost; nothing was changed",
                hint: "write the lines above into it by hand")
        case .belongsToAnother:
            KeyringError(.configuration, "\(path) belongs to another user, or another group; nothing was changed")
        case .changed:
            KeyringError(.busy, "\(path) was changed meanwhile; nothing was written", hint: "try again")
        case .locked(let lock):
            KeyringError(
                .busy, "\(lock) is there: another program is changing the file, or was stopped while it did",
                hint: "try again, or remove it where no such program runs")
        case .diskFull: KeyringError(.diskFull, "the disk is full; \(path) is as it was")
        case .failed(let number):
            KeyringError(.inputOutput, "\(path) could not be read or written (error \(number)); it is as it was")
        case .unconfirmed:
            KeyringError(.unconfirmed, "\(path) was written, but the disk does not confirm it")
        }
    }
}
