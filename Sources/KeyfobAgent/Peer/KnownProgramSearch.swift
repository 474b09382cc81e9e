internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel

/// Finds out which program a process runs, by what the kernel has in memory alone: nothing of it can be kept waiting.
struct KnownProgramSearch {
    let table: ProcessTable
    let process: Int32
    /// As in ``StartProof``.
    var known: String?

    private var mounts: KnownFile.Mounts { KnownFile.Mounts(other: table.path(of: process, "mountinfo")) }

    /// The program; nil where a file system would have to be asked, which ``ProgramSearch`` does.
    func program() -> Program? { found()?.program }

    /// The program, with the number of its file where it is a script; nil as for ``program()``.
    func found() -> (program: Program, file: String?)? {
        guard let root = KnownFile(link: table.path(of: process, "root")), let own = KnownFile(link: "/") else {
            return nil
        }
        let isHere = root.isSamePlace(as: own)
        // Of this root an agent may know all that is in it.
        if isHere, FileAccess.status("/.flatpak-info", following: false) != nil { return nil }
        if !isHere {
            guard case .missing = root.below(".flatpak-info") else { return nil }
        }
        let proof = StartProof(table: table, process: process, eyes: .near, known: known)
        let search = ProgramSearch(table: table, process: process)
        if let program = search.snap(proof) ?? search.service { return (program, nil) }
        guard let path = table.link("exe", of: process), case .file(let file) = KnownFile.at(path),
            let running = KnownFile(link: table.path(of: process, "exe")), file.isSame(as: running), file.path == path
        else { return nil }
        let named: (path: String, number: String)?
        do throws(StartProof.Doubt) {
            named = try proof.script(
                of: ProgramStart(executable: path, arguments: table.arguments(of: process) ?? []))
        } catch { return nil }
        guard let named else { return Program(.executable, path).map { ($0, nil) } }
        guard case .file(let script) = KnownFile.at(named.path), script.path == named.path else { return nil }
        if !isHere {
            guard case .file(let other) = root.below(named.path), other.isSame(as: script) else { return nil }
        }
        return Program(.script, named.path).map { ($0, named.number) }
    }

    /// Whether a file that was looked at is the one that the program runs, which nothing has changed since it was started; nil where a
    /// file system would have to be asked.
    func isStill(_ program: Program, _ file: KnownFile) -> Bool? {
        guard program.kind == .script else { return true }
        guard let now = self.program() else { return nil }
        guard now == program, case .file(let found) = KnownFile.at(program.name) else { return false }
        return found.isSame(as: file)
    }

    /// The file that a digest of the program is made of, where no program answers for its file system; nil where it has to be asked.
    func file(of program: Program) -> KnownFile? {
        let file: KnownFile?
        switch program.kind {
        case .script: if case .file(let found) = KnownFile.at(program.name) { file = found } else { file = nil }
        case .executable: file = KnownFile(link: table.path(of: process, "exe"))
        case .flatpak, .snap, .service, .socket: file = nil
        }
        guard let file, file.isLocal(mounts) else { return nil }
        return file
    }
}
