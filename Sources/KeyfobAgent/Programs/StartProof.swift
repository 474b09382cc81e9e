internal import Glibc
internal import Keyfob
internal import KeyfobFiles

/// How files are looked at: by asking their file systems, or by what the kernel has in memory alone.
struct FileEyes: Sendable {
    /// Whether nothing is where nothing is seen: the kernel has not all in memory.
    let isSure: Bool
    /// What is at a path; nil where nothing is, or where that cannot be told.
    let look: @Sendable (String) -> FileLook?
    /// The path without links of what is at another one; nil where that cannot be told.
    let real: @Sendable (String) -> String?
    /// Whether a program is at a path; nil where that cannot be told.
    let isProgram: @Sendable (String) -> Bool?

    /// By asking.
    static let far = FileEyes(
        isSure: true, look: { FileLook($0) }, real: { FileAccess.realPath($0) },
        isProgram: { StartRule.isProgram($0) })

    /// By what the kernel has in memory; what a link leads to is not seen at the link.
    static let near = FileEyes(
        isSure: false,
        look: { path in
            if case .file(let file) = KnownFile.at(path), file.path == path { file.look } else { nil }
        },
        real: { path in
            if case .file(let file) = KnownFile.at(path) { file.path } else { nil }
        },
        isProgram: { path in
            switch KnownFile.at(path) {
            case .file(let file): file.look.isProgram
            case .missing: false
            case .unknown: nil
            }
        })

    /// Whether no program of the user can put anything at a path, or could before: all that it leads over is the system's, links
    /// too.
    func isSystems(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/"), look("/")?.isSystems == true else { return false }
        var (place, links) = ("/", 0)
        var names = Array(Self.names(of: path).reversed())
        while let name = names.popLast() {
            if name == "." { continue }
            if name == ".." {
                place = FileAccess.folder(of: place)
                continue
            }
            let next = FileAccess.path(place, name)
            // What its links lead to is each process's own.
            guard next != "/proc" else { return false }
            // What is not there may have been, unless root alone could take it away.
            guard let found = look(next) else { return isSure && look(place)?.isRootsAlone == true }
            guard found.isSystems else { return false }
            guard found.isLink else {
                place = next
                continue
            }
            guard links < 40, let target = FileAccess.link(next) else { return false }
            links += 1
            if target.utf8.first == UInt8(ascii: "/") { place = "/" }
            names += Self.names(of: target).reversed()
        }
        // Where everybody can put something a path may only lead through.
        return look(place)?.isRootsAlone == true
    }

    /// The names in a path, parted by bytes as the system does.
    static func names(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// Whether a path without links is that of a folder, or below it.
    static func isBelow(_ path: String, _ folder: String) -> Bool {
        folder == "/"
            || path.utf8.starts(with: folder.utf8)
                && [nil, UInt8(ascii: "/")].contains(path.utf8.dropFirst(folder.utf8.count).first)
    }
}

/// What a process was started as, as far as nothing can have been put in the place of it since.
struct StartProof {
    let table: ProcessTable
    let process: Int32
    let eyes: FileEyes
    /// The number of the script's file where this process was known before to run it: what has happened to folders since does not
    /// count.
    var known: String?
    /// The folder of the user who runs the agent.
    var home: String? = unsafe getenv("HOME").map { unsafe String(cString: $0) }

    /// Why it cannot be told what runs.
    struct Doubt: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        /// The kernel has not in memory what is needed.
        static let unseen = Doubt("it is not known where its files are")
    }

    /// The file of the script that runs, and its number; nil where it is the executable itself that does.
    ///
    /// - Throws: Where other code than that may run.
    func script(of start: ProgramStart) throws(Doubt) -> (path: String, number: String)? {
        guard !isTraced else { throw Doubt("another program traces it") }
        // What it becomes is told by its addresses.
        guard hasRandomAddresses else {
            throw Doubt("it was started without random addresses ('setarch -R'); start it with them")
        }
        if let reason = sandbox { throw Doubt(reason) }
        guard let bytes = environment else { throw Doubt("its environment cannot be read") }
        let environment = ProgramEnvironment(bytes) { path in
            // Some programs shorten a path with these before they follow links.
            !FileEyes.names(of: path).contains("..")
                && (eyes.isSystems(path) || Self.isOwn(path) || isOwn(path, of: start))
        }
        if let intruder = environment.intruder() { throw Doubt(Self.start(without: intruder)) }
        if let value = environment["ELECTRON_RUN_AS_NODE"], !value.isEmpty {
            guard eyes.isSure else { throw .unseen }
            // What Electron has beside each of its programs.
            if eyes.look(FileAccess.path(FileAccess.folder(of: start.executable), "icudtl.dat")) != nil {
                throw Doubt(Self.start(without: ProgramEnvironment.Intruder(name: "ELECTRON_RUN_AS_NODE")))
            }
        }
        guard let interpreter = Interpreter(executable: start.executable),
            let (word, letters) = interpreter.start(in: start.arguments), !word.isEmpty
        else { return nil }
        guard FileLook.isSystems(start.executable, by: eyes.look) else {
            if eyes.isSure { return nil }
            throw .unseen
        }
        guard !word.unicodeScalars.contains("\u{FFFD}") else {
            throw Doubt("the name of its script is not in UTF-8; rename it")
        }
        guard word.utf8.first == UInt8(ascii: "/") else {
            let path = table.link("cwd", of: process).map { FileAccess.path($0, word) } ?? "/PATH/\(word)"
            throw Doubt("its script was named from a folder, and which one that was is not known; name it as \(path)")
        }
        if interpreter.family == .node { try Self.requirePlain(word, "its script") }
        let moment = startMoment
        let found = try place(of: word, since: moment)
        guard let (real, doubt) = found, let file = eyes.look(real), file.isRegularFile else { return nil }
        let isKnown = known == file.number
        if let doubt, !isKnown { throw doubt }
        if let intruder = environment.intruder(in: interpreter.family, letters, home: home) {
            throw Doubt(Self.start(without: intruder))
        }
        if interpreter.family == .bash, !letters.contains("p") { try checkFunctions(environment.shellFunctions, real) }
        if interpreter.family == .python {
            try checkPlace(ofPython: start, environment, script: real, since: isKnown ? nil : moment)
        }
        return (real, file.number)
    }

    private static func start(without intruder: ProgramEnvironment.Intruder) -> String {
        let part = intruder.part.map { $0.isEmpty ? "the folder it was started in (an empty part)" : $0 }
        let what = part.map { "names \($0), from where it may run other code" } ?? "may have it run other code"
        return "\(intruder.name) in its environment \(what); start it without, or give it a socket for one purpose"
    }

    /// Where the installation is that this process runs; nil where it is none.
    private static let installation: String? = {
        let place = "/libexec/keyfob/keyfob"
        guard let path = FileAccess.link("/proc/self/exe"), path.hasSuffix(place) else { return nil }
        return String(path.dropLast(place.count))
    }()

    /// Whether a path is that of Keyfob's own modules for Python, whoever owns them.
    private static func isOwn(_ path: String) -> Bool {
        installation.map { path == $0 + "/lib/keyfob/python" } ?? false
    }

    // MARK: The process

    /// Its variables; nil where they are not for us to see.
    private var environment: [UInt8]? {
        switch FileAccess.read(table.path(of: process, "environ"), limit: 8 << 20, following: false) {
        case .bytes(let bytes, _): bytes
        case .missing: []
        default: nil
        }
    }

    /// Whether the kernel chooses its addresses at random (personality(2)): not `ADDR_NO_RANDOMIZE`.
    private var hasRandomAddresses: Bool {
        guard let text = table.read("personality", of: process) else { return true }
        let number = UInt32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self), radix: 16)
        return number.map { $0 & 0x004_0000 == 0 } ?? true
    }

    private var isTraced: Bool { isStatus("TracerPid:\t", other: "0") }

    /// Whether a line of its status is there and says something else.
    private func isStatus(_ name: String, other value: String) -> Bool {
        guard let status = table.read("status", of: process) else { return false }
        return status.split(separator: UInt8(ascii: "\n")).contains { line in
            line.starts(with: name.utf8) && !line.dropFirst(name.utf8.count).elementsEqual(value.utf8)
        }
    }

    /// Why its files may not be those that are here: a sandbox in which a program of the user has put any file in any place; nil
    /// where it is in none.
    ///
    /// In another user namespace a program can mount files and change its root, where it finds its libraries. Without one only
    /// root can, and programs that root lets do that for users: they renounce privileges.
    var sandbox: String? {
        if isElsewhere("user") {
            return "it runs in another user namespace (of unshare, bwrap or a container), where any file may be in the "
                + "place of another; \(Self.wayOut)"
        }
        guard isElsewhere("mnt"), isStatus("NoNewPrivs:\t", other: "0") else { return nil }
        return "it sees files that a sandbox has put there for it; \(Self.wayOut)"
    }

    private static let wayOut = "start it outside, or give it a socket for one purpose"

    /// Whether it is in another namespace of a kind than this process, or that is not for us to see; false where the table tells of
    /// none.
    func isElsewhere(_ kind: String) -> Bool {
        table.link("ns/\(kind)", of: process) != FileAccess.link("\(table.path)/self/ns/\(kind)")
    }

    /// When it was started at the latest, less what clocks leave out, in nanoseconds since 1970; nil where the table does not say.
    private var startMoment: Int64? {
        guard let ticks = table.start(of: process).flatMap({ Int64($0) }) else { return nil }
        var (boot, now) = (timespec(), timespec())
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &boot) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else {
            return nil
        }
        func count(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
        let tick = 1_000_000_000 / Int64(max(1, sysconf(CInt(_SC_CLK_TCK))))
        // The kernel notes the time of a change as it was at its last tick.
        return count(now) - count(boot) + (ticks - 1) * tick
    }

    // MARK: The script

    /// Requires a path that means the same to the system and to programs that shorten it before they follow links.
    private static func requirePlain(_ path: String, _ what: String) throws(Doubt) {
        guard FileEyes.names(of: path).contains("..") else { return }
        throw Doubt("\(what) was named as \(path); name it without '..'")
    }

    /// The file that a path leads to without links, which led there when the process was started, and why it may not have where a
    /// folder may have been moved; nil where no file is there.
    private func place(of path: String, since moment: Int64?) throws(Doubt) -> (path: String, doubt: Doubt?)? {
        func isLater(_ time: Int64) -> Bool { Self.isLater(time, moment) }
        var (place, links) = ("/", 0)
        var doubt: Doubt?
        var names = Array(FileEyes.names(of: path).reversed())
        while let name = names.popLast() {
            if name == "." { continue }
            if name == ".." {
                place = FileAccess.folder(of: place)
                continue
            }
            let next = FileAccess.path(place, name)
            // What its links lead to is each process's own, and another file the next moment.
            guard next != "/proc" else { throw Doubt("its script was named as \(path); name it by its own path") }
            guard let found = eyes.look(next) else {
                if eyes.isSure { return nil }
                throw .unseen
            }
            if found.isLink {
                guard !isLater(found.changed) else { throw Self.changed(next) }
                guard links < 40, let target = FileAccess.link(next) else { return nil }
                links += 1
                if target.utf8.first == UInt8(ascii: "/") { place = "/" }
                names += FileEyes.names(of: target).reversed()
                continue
            }
            if found.isRegularFile, isLater(found.changed) { throw Self.changed(next) }
            // A folder is changed by a move, and by what is done in it: which of them it was says the folder that it is in, which a
            // move changes too. Nobody can set these times.
            if found.isFolder, isLater(found.changed) {
                guard let above = eyes.look(place) else { throw .unseen }
                if !above.isRootsAlone, isLater(above.changed) { doubt = Self.moved(next, in: place) }
            }
            place = next
        }
        return (place, doubt)
    }

    private static func isLater(_ time: Int64, _ moment: Int64?) -> Bool { moment.map { time >= $0 } ?? false }

    private static func changed(_ path: String) -> Doubt {
        Doubt("\(path) was changed or moved after it was started; start it again")
    }

    private static func moved(_ path: String, in folder: String) -> Doubt {
        Doubt("\(path) may have been moved after it was started, as \(folder) has changed too; start it again")
    }

    /// Bash takes a function that it was given in the place of a command: it must be none that the script may call.
    private func checkFunctions(_ names: [String], _ script: String) throws(Doubt) {
        guard !names.isEmpty else { return }
        guard eyes.isSure else { throw .unseen }
        guard case .bytes(let text, _) = FileAccess.read(script, limit: 1 << 20, following: false) else {
            throw Doubt("its script \(script) cannot be read, which may call shell functions that it was given")
        }
        guard let name = ShellText(text).callable(of: names) else { return }
        throw Doubt(
            "the shell function \(name) in its environment may run in the place of a command of its script; "
                + "start it without ('unset -f \(name)'), or begin \(script) with #!/bin/bash -p")
    }

    /// Python takes its modules from beside the path by which it was started: an environment of the script's own, or the system's.
    private func checkPlace(
        ofPython start: ProgramStart, _ environment: ProgramEnvironment, script: String, since moment: Int64?
    ) throws(Doubt) {
        // Without a name it takes this one.
        let word = start.arguments.first.flatMap { $0.isEmpty ? nil : $0 } ?? "python3"
        var path = word
        if !word.utf8.contains(UInt8(ascii: "/")) {
            guard let folders = environment["PATH"], !folders.isEmpty,
                let found = try program(word, in: folders, since: moment)
            else { return }
            path = found
        }
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw Doubt(
                "its interpreter was named from a folder, and which one that was is not known; name its whole path")
        }
        try Self.requirePlain(path, "its interpreter")
        let bin = FileAccess.folder(of: path)
        if eyes.isSystems(bin) { return }
        guard let (root, doubt) = try place(of: FileAccess.folder(of: bin), since: moment) else {
            throw Doubt("the folder of its interpreter \(path) is not there")
        }
        if let doubt { throw doubt }
        if isOwn(root, of: script) { return }
        // What the script itself asks for.
        guard eyes.isSure else { throw .unseen }
        let line = FileAccess.head(script, count: 256).flatMap(StartRule.line(of:))
        guard line?.first == path else {
            throw Doubt(
                "it runs with the modules of \(root), which is not beside its script; begin \(script) with #!\(path)")
        }
    }

    /// The first program of a name in folders, as Python looks for itself.
    private func program(_ name: String, in folders: String, since moment: Int64?) throws(Doubt) -> String? {
        for folder in folders.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
            let folder = String(Substring(folder))
            let path = FileAccess.path(folder.isEmpty ? "." : folder, name)
            guard path.utf8.first == UInt8(ascii: "/") else { return path }
            try Self.requirePlain(folder, "a folder in PATH")
            guard let isThere = eyes.isProgram(path) else { throw .unseen }
            if isThere { return path }
            if moment != nil, !eyes.isSystems(folder) { try checkSame(folder, since: moment) }
        }
        return nil
    }

    /// Nothing may have been taken out of a folder where nothing is found now.
    private func checkSame(_ folder: String, since moment: Int64?) throws(Doubt) {
        var nearest = folder
        while nearest != "/" {
            if let (real, doubt) = try place(of: nearest, since: moment) {
                if let doubt { throw doubt }
                guard let found = eyes.look(real) else { throw .unseen }
                guard !Self.isLater(found.changed, moment) else {
                    throw Doubt(
                        "PATH names \(folder), and \(nearest) has changed after it was started: its interpreter may have "
                            + "been there; start it again")
                }
                return
            }
            nearest = FileAccess.folder(of: nearest)
        }
    }

    /// The folder of a program of the user and its libraries, as that of an AppImage: it could be changed there as well as its
    /// executable.
    private func ownFolder(of executable: String) -> String? {
        var folder = FileAccess.folder(of: executable)
        for name in ["bin", "usr"] where folder.hasSuffix("/" + name) { folder = FileAccess.folder(of: folder) }
        return isWide(folder) || eyes.isSystems(folder) ? nil : folder
    }

    private func isOwn(_ path: String, of start: ProgramStart) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/"), let folder = ownFolder(of: start.executable) else { return false }
        var nearest = path
        while nearest != "/" {
            do {
                // A link elsewhere could be turned afterwards.
                if let (real, _) = try place(of: nearest, since: startMoment) { return FileEyes.isBelow(real, folder) }
            } catch { return false }
            nearest = FileAccess.folder(of: nearest)
        }
        return false
    }

    /// Whether the environment of Python at a path is a script's: the script is in it, or it is in a folder of the script's, the
    /// user's own and what is above that left out.
    private func isOwn(_ root: String, of script: String) -> Bool {
        let parent = FileAccess.folder(of: root)
        return FileAccess.folder(of: script) == parent
            || [root, parent].contains { FileEyes.isBelow(script, $0) && !isWide($0) }
    }

    /// Whether programs that have nothing to do with one another put files below a folder.
    private func isWide(_ folder: String) -> Bool {
        let home = home.flatMap(eyes.real)
        let isAboveHome = home.map { FileEyes.isBelow($0, folder) || folder == $0 + "/.local" } ?? false
        return folder == "/" || isAboveHome || eyes.look(folder)?.isOpenToAll ?? true
    }
}
