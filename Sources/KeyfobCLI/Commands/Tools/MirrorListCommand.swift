internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobSodium
internal import KeyfobTerminal

struct MirrorListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is mirrored, and who is left out.",
        discussion: """
            It reads notes, and unlocks nothing.

            Example:
              keyfob mirror list --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    /// What is noted of all mirrors.
    static func notes(_ global: GlobalOptions) throws(KeyringError) -> [MirrorNote] {
        let state = try global.location().state
        do {
            return try MirrorStore(state: state).notes().compactMap(MirrorNote.init(text:)).sorted { $0.file < $1.file }
        } catch {
            throw KeyringError(.inputOutput, "the notes of mirrors cannot be read")
        }
    }

    func run() throws {
        let sorted = try Self.notes(global)
        if global.json { return try JSONOutput.print(MirrorListDocument(sorted)) }
        guard !sorted.isEmpty else { return global.say("nothing is mirrored; 'keyfob mirror azure-cli' begins") }
        var table = Table(
            header: ["PROGRAM", "GROUP", "LAST", "LEFT OUT", "FILE"], yielding: ["LEFT OUT", "GROUP", "LAST"],
            usual: ["GROUP": AccessGroup.default.name, "LEFT OUT": "0"])
        let now = WallClock.system.now
        for note in sorted {
            let age = note.passedAt.map { TimeText.distance(to: $0, from: now) } ?? "never"
            table.add([note.program, note.group.name, age, "\(note.leftOut.count)", note.place])
        }
        try StandardOutput.write(lines: table.text)
        for note in sorted { for left in note.leftOut { global.say("left out: \(MirrorRun.words(left, note))") } }
    }
}

/// `Schemas/mirror-list.schema.json`.
struct MirrorListDocument: JSONDocument {
    let formatVersion = 1
    let mirrors: [Mirror]

    struct Mirror: Encodable {
        let file: String
        let isKeyringItem: Bool
        let program: String
        let group: String
        let vault: String
        let clients: [String]
        let lastPass: Int64?
        let leftOut: [MirrorLeftOut]
    }

    init(_ notes: [MirrorNote]) {
        mirrors = notes.map { note in
            Mirror(
                file: note.file, isKeyringItem: !note.item.isEmpty, program: note.program, group: note.group.name,
                vault: note.vault,
                clients: note.clients, lastPass: note.passedAt?.seconds, leftOut: note.leftOut.map(MirrorLeftOut.init))
        }
    }
}
