internal import Glibc
internal import Keyfob
internal import KeyfobFiles

/// How files are looked at: by asking their file systems, or by what the kernel has in memory alone.
struct FileEyes: Sendable {
    /// Whether nothing is where nothing is seen: the kernel has not all in memory.
    let isSure: Bool
    /// What is at a path; nil where nothing is, or where that cannot be told.
    let look: @Sendable (String) -> FileLook?
    /// The path without links of what is at another one, or of the nearest folder above that is there; nil where that cannot be told.
    let real: @Sendable (String) -> String?
    /// Whether a program is at a path; nil where that cannot be told.
    let isProgram: @Sendable (String) -> Bool?

    /// By asking.
    static let far = FileEyes(
        isSure: true, look: { FileLook($0) },
        real: { path in
            var place = path
            while place != "/" {
                if let real = FileAccess.realPath(place) { return real }
                place = FileAccess.folder(of: place)
            }
            return "/"
        }, isProgram: { StartRule.isProgram($0) })

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

    func isSystems(_ path: String) -> Bool {
        path.hasPrefix("/") && real(path).map { FileLook.isSystems($0, by: look) } ?? false
    }
}

/// What a process was started as, as far as nothing can have been put in the place of it since.
struct StartProof {
    let table: ProcessTable
    let process: Int32
    let eyes: FileEyes
    /// The folder of the user who runs the agent.
    var home: String? = unsafe getenv("HOME").map { unsafe String(cString: $0) }

    /// Why it cannot be told what runs.
    struct Doubt: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        /// The kernel has not in memory what is needed.
        static let unseen = Doubt("it is not known where its files are")
    }

    /// The file of the script that runs; nil where it is the executable itself that does.
    ///
    /// - Throws: Where other code than that may run.
    func script(of start: ProgramStart) throws(Doubt) -> String? {
        guard !isTraced else { throw Doubt("another program traces it") }
        guard !hasMountsOfUsers else { throw Doubt("it sees files that a program of yours has put there for it") }
        guard let bytes = environment else { throw Doubt("its environment cannot be read") }
        let environment = ProgramEnvironment(bytes) { eyes.isSystems($0) || Self.isOwn($0) }
        if let name = environment.intruder() { throw Doubt(Self.start(without: name)) }
        guard let interpreter = Interpreter(executable: start.executable),
            let (word, letters) = interpreter.start(in: start.arguments), !word.isEmpty
        else { return nil }
        guard FileLook.isSystems(start.executable, by: eyes.look) else {
            if eyes.isSure { return nil }
            throw .unseen
        }
        guard word.hasPrefix("/") else {
            let path = table.link("cwd", of: process).map { FileAccess.path($0, word) } ?? "/PATH/\(word)"
            throw Doubt("its script was named from a folder, and which one that was is not known; name it as \(path)")
        }
        let moment = startMoment
        guard let real = try place(of: word, since: moment), eyes.look(real)?.isRegularFile == true else { return nil }
        if let name = environment.intruder(in: interpreter.family, letters, home: home) {
            throw Doubt(Self.start(without: name))
        }
        if interpreter.family == .python { try checkPlace(ofPython: start, environment, script: real, since: moment) }
        return real
    }

    private static func start(without name: String) -> String {
        "\(name) in its environment may have it run other code; start it without"
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

    private var isTraced: Bool {
        guard let status = table.read("status", of: process) else { return false }
        let name = Array("TracerPid:\t".utf8)
        return status.split(separator: UInt8(ascii: "\n")).contains { line in
            line.starts(with: name) && !line.dropFirst(name.count).elementsEqual("0".utf8)
        }
    }

    /// Whether it has mounts of its own in a space of users of its own: whoever made that may have put any file in any place.
    ///
    /// An agent that is in such a space itself sees everybody elsewhere, and tells files apart alone.
    private var hasMountsOfUsers: Bool {
        isElsewhere("mnt") && isElsewhere("user") && FileAccess.link("\(table.path)/self/ns/user") == Self.firstUsers
    }

    /// The space of users that is there from the start (linux/proc_ns.h).
    private static let firstUsers = "user:[4026531837]"

    /// Whether it is in another space of a kind than this process; false where the table tells of none.
    func isElsewhere(_ kind: String) -> Bool {
        guard let its = table.link("ns/\(kind)", of: process) else { return false }
        return its != FileAccess.link("\(table.path)/self/ns/\(kind)")
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

    /// The file that a path leads to without links, which led there when the process was started; nil where no file is there.
    private func place(of path: String, since moment: Int64?) throws(Doubt) -> String? {
        func isLater(_ time: Int64) -> Bool { moment.map { time >= $0 } ?? false }
        var (place, links) = ("/", 0)
        var names = Array(path.split(separator: "/").reversed())
        while let name = names.popLast() {
            if name == "." { continue }
            if name == ".." {
                place = FileAccess.folder(of: place)
                continue
            }
            let next = FileAccess.path(place, String(name))
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
                if target.hasPrefix("/") { place = "/" }
                names += target.split(separator: "/").reversed()
                continue
            }
            // One that came here from elsewhere is changed, and what is in it is not.
            if found.isFolder, !found.isSystems, isLater(found.changed), found.changed > found.modified {
                throw Self.changed(next)
            }
            if found.isRegularFile, isLater(found.changed) { throw Self.changed(next) }
            place = next
        }
        return place
    }

    private static func changed(_ path: String) -> Doubt {
        Doubt("\(path) was changed or moved after it was started; start it again")
    }

    /// Python takes its modules from beside the path by which it was started: an environment of the script's own, or the system's.
    private func checkPlace(
        ofPython start: ProgramStart, _ environment: ProgramEnvironment, script: String, since moment: Int64?
    ) throws(Doubt) {
        guard let word = start.arguments.first, !word.isEmpty else { return }
        var path = word
        if !word.contains("/") {
            guard let folders = environment["PATH"], !folders.isEmpty, let found = try program(word, in: folders) else {
                return
            }
            path = found
        }
        guard path.hasPrefix("/") else {
            throw Doubt(
                "its interpreter was named from a folder, and which one that was is not known; name its whole path")
        }
        let bin = FileAccess.folder(of: path)
        if eyes.isSystems(bin) { return }
        guard let root = try place(of: FileAccess.folder(of: bin), since: moment) else {
            throw Doubt("the folder of its interpreter \(path) is not there")
        }
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
    private func program(_ name: String, in folders: String) throws(Doubt) -> String? {
        for folder in folders.split(separator: ":", omittingEmptySubsequences: false) {
            let path = FileAccess.path(folder.isEmpty ? "." : String(folder), name)
            guard path.hasPrefix("/") else { return path }
            guard let isThere = eyes.isProgram(path) else { throw .unseen }
            if isThere { return path }
        }
        return nil
    }

    /// Whether the environment of Python at a path is a script's: the script is in it, or it is in a folder of the script's, the
    /// user's own and what is above that left out.
    private func isOwn(_ root: String, of script: String) -> Bool {
        let parent = FileAccess.folder(of: root)
        return FileAccess.folder(of: script) == parent
            || [root, parent].contains { script.hasPrefix($0 + "/") && !isWide($0) }
    }

    /// Whether programs that have nothing to do with one another put files below a folder.
    private func isWide(_ folder: String) -> Bool {
        let isAboveHome = home.flatMap(eyes.real).map { ($0 + "/").hasPrefix(folder + "/") } ?? false
        return folder == "/" || isAboveHome || eyes.look(folder)?.isOpenToAll ?? true
    }
}
