internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel

/// Finds out which program a process runs, by what the kernel has in memory alone: nothing of it can be kept waiting.
struct KnownProgramSearch {
    let table: ProcessTable
    let process: Int32

    private var mounts: KnownFile.Mounts { KnownFile.Mounts(other: table.path(of: process, "mountinfo")) }

    /// The program; nil where a file system would have to be asked, which ``ProgramSearch`` does.
    func program() -> Program? {
        let search = ProgramSearch(table: table, process: process)
        guard let root = KnownFile(link: table.path(of: process, "root")), let own = KnownFile(link: "/") else {
            return nil
        }
        let isHere = root.isSamePlace(as: own)
        // Of this root an agent may know all that is in it.
        if isHere, FileAccess.status("/.flatpak-info", following: false) != nil { return nil }
        if !isHere {
            switch root.below(".flatpak-info") {
            case .missing: break
            case .unknown: return nil
            case .file(let file):
                let content = file.content(limit: 1 << 16, mounts: mounts)
                guard let name = content.flatMap(ProgramSearch.flatpakName) else { return nil }
                return Program(.flatpak, name)
            }
        }
        if let program = search.snap ?? search.service { return program }
        guard let path = table.link("exe", of: process), case .file(let file) = KnownFile.at(path),
            let running = KnownFile(link: table.path(of: process, "exe")), file.isSame(as: running), file.path == path
        else { return nil }
        let start = ProgramStart(executable: path, arguments: table.arguments(of: process) ?? [])
        guard let named = start.namedScript(in: table.link("cwd", of: process)) else {
            return Program(.executable, path)
        }
        guard case .file(let script) = KnownFile.at(named), script.isRegularFile, let real = script.path else {
            return nil
        }
        if !isHere {
            guard case .file(let other) = root.below(real), other.isSame(as: script) else { return nil }
        }
        return Program(.script, real)
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
