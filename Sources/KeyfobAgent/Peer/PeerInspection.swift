package import Keyfob
internal import KeyfobFiles

/// Finds out which program a process runs, and what the program's file holds.
///
/// What it looks at is the program's: a file system of its own may never answer.
package protocol PeerInspection: Sendable {
    /// The program that a process runs now.
    ///
    /// - Throws: `notPermitted` where that cannot be told, and `busy` where too many cannot be told at once.
    func program(of process: PeerProcess) throws(KeyringError) -> Program

    /// The SHA-256 of the program's file; nil where there is none, or it cannot be read.
    func digest(of program: Program, in process: PeerProcess) -> String?

    /// What tells the program that a process is now from any other that it becomes; nil where the process hides it.
    ///
    /// - Throws: `busy` where that cannot be told now, and `notPermitted` where the process keeps whoever looks waiting.
    func image(of process: PeerProcess) throws(KeyringError) -> PeerProcess.Image?
}

extension PeerInspection {
    /// What this thread sees, however long that takes.
    package func image(of process: PeerProcess) -> PeerProcess.Image? {
        PeerProcess.Image(process.number, in: process.table)
    }
}

/// Looks on the thread that asks, however long that takes.
package struct InspectionHere: PeerInspection {
    private let digests: FileDigests

    /// - Parameter digests: The digests that are known.
    package init(_ digests: FileDigests = FileDigests()) { self.digests = digests }

    package func program(of process: PeerProcess) throws(KeyringError) -> Program {
        try ProgramSearch(table: process.table, process: process.number).program()
    }

    package func digest(of program: Program, in process: PeerProcess) -> String? {
        Self.digest(of: program, ProgramSearch(table: process.table, process: process.number), digests)
    }

    /// The digest of a program's file as a search finds the program.
    static func digest(of program: Program, _ search: ProgramSearch, _ digests: FileDigests) -> String? {
        switch program.kind {
        // What was read is the script that runs if it still lies there, and nothing has changed it since the start.
        case .script:
            digests.digest(of: program.name) { file in
                FileIdentity(program.name) == file && (try? search.program()) == program
                    && FileIdentity(program.name) == file
            }
        case .executable: digests.digest(of: search.table.path(of: search.process, "exe"))
        case .flatpak, .snap, .service, .socket: nil
        }
    }
}

extension AgentCaller {
    /// The program that a process runs now.
    ///
    /// - Throws: As ``PeerInspection/program(of:)``, and `notPermitted` where it has ended.
    package init(_ process: PeerProcess, door: Door, by inspection: any PeerInspection) throws(KeyringError) {
        // What it is first is noted before it is looked at.
        process.noteFirst(by: inspection)
        let program = try inspection.program(of: process)
        // What was told of the number until now was told of this process.
        guard process.isThere else { throw .ended(process.number) }
        try process.requireSame(by: inspection)
        self.init(program, process: process.number, user: process.user, door: door) {
            let digest = inspection.digest(of: program, in: process)
            return process.isSame(by: inspection) ? digest : nil
        }
    }

    /// The same, looked at on this thread.
    package init(_ process: PeerProcess, door: Door, digests: FileDigests) throws(KeyringError) {
        try self.init(process, door: door, by: InspectionHere(digests))
    }
}
