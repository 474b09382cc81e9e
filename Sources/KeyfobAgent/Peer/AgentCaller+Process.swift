package import Keyfob

extension AgentCaller {
    /// The program that a process runs now.
    ///
    /// - Throws: `notPermitted` where that cannot be told, with the reason, and where it has ended.
    package init(
        _ process: PeerProcess, door: Door, digests: FileDigests
    ) throws(KeyringError) {
        let program = try ProgramSearch(table: process.table, process: process.number).program()
        // What was told of the number until now was told of this process.
        guard process.isThere else { throw .ended(process.number) }
        self.init(program, process: process.number, user: process.user, door: door) {
            let digest =
                switch program.kind {
                case .script: digests.digest(of: program.name)
                case .executable: digests.digest(of: process.table.path(of: process.number, "exe"))
                case .flatpak, .snap, .service: nil as String?
                }
            return process.isThere ? digest : nil
        }
    }
}
