internal import CLinux
internal import Glibc

/// What keeps a program from keys: namespaces of its own (`namespaces(7)`), in which it finds files but no vault, and no
/// process but its own; then no capability, Landlock and a filter of system calls.
///
/// Three processes stand behind it. One raises the wall (``raise()``) and waits for the program; the first of the new processes
/// (``startFirstProcess()``) does nothing, and when it ends all others are killed; the third (``enter()``) becomes the program.
package struct ProgramWall: Sendable {
    /// Files and folders that are empty behind the wall.
    package var hidden: [String]
    /// Folders in whose place is an empty one that the program can fill, and which goes with it.
    package var temporary: [String]
    /// Folders that the program can change, with all that is in them; everything else it can only read.
    package var writable: [String]
    /// Folders and files below temporary or writable ones that are there nevertheless, to read.
    package var kept: [String]
    /// Where the program begins.
    package var folder: String

    package init(hidden: [String], temporary: [String], writable: [String], kept: [String], folder: String) {
        self.hidden = hidden
        self.temporary = temporary
        self.writable = writable
        self.kept = kept
        self.folder = folder
    }

    /// Why there is no wall, each with the system's error.
    package enum Flaw: Error, Equatable {
        /// The system gives this process no namespaces.
        case namespaces(CInt)
        /// It gives some, and no right to mount in them.
        case mounts(String, CInt)
        /// It makes no process.
        case process(CInt)
        /// System calls are not filtered, or capabilities not given up.
        case filter
        /// Somebody has ended the first process behind the wall.
        case ended
    }

    /// Devices that are left.
    private static let devices = ["null", "zero", "full", "random", "urandom", "tty"]
    /// Of /proc, what says something to the kernel.
    private static let kernelSettings = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver"]
    private static let (quiet, inert) = (
        UInt(linux_mount_without_set_user.rawValue | linux_mount_without_devices.rawValue),
        UInt(linux_mount_without_programs.rawValue)
    )

    /// Gives this process, which has one thread, another view of the files.
    ///
    /// Processes that it starts from here on see none but each other. It keeps no file open but standard input, output and error.
    package func raise() throws(Flaw) {
        guard linux_close_all(3, .max) == 0 else { throw .mounts("descriptors", errno) }
        Self.leaveWaysOut()
        // The system lets nobody write the maps of a process that is not to be looked into. This one has no keys.
        ProcessHardening.show(true)
        defer { ProcessHardening.show(false) }
        let (user, group) = (geteuid(), getegid())
        guard linux_enter_namespaces() == 0 else { throw .namespaces(errno) }
        for (file, text) in [
            ("setgroups", "deny"), ("uid_map", "\(user) \(user) 1"), ("gid_map", "\(group) \(group) 1"),
        ] {
            guard Self.write(text, to: "/proc/self/" + file) else { throw .namespaces(errno) }
        }
        guard linux_keep_mounts_private() == 0 else { throw .mounts("/", errno) }
        try arrange()
    }

    private func arrange() throws(Flaw) {
        let terminal = (STDIN_FILENO...STDERR_FILENO).lazy.compactMap(Self.terminal).first
        let devices = try
            (Self.devices.map { ("/dev/" + $0, "/dev/" + $0) }.filter { Self.isThere($0.0) }
            + (terminal.map { [($0, "/dev/console")] } ?? []))
            .map { (from, to) throws(Flaw) in (try Self.copy(from), to) }
        var folders: [(copy: CInt, path: String)] = []
        for path in Set(writable + kept).sorted() {
            let copy = try Self.copy(path)
            let isReadOnly: CInt = writable.contains(path) ? 0 : 1
            guard unsafe linux_lock_mounts(copy, "", isReadOnly) == 0 else { throw .mounts(path, errno) }
            folders.append((copy, path))
        }
        guard unsafe linux_lock_mounts(-1, "/", 1) == 0 else { throw .mounts("/", errno) }
        try Self.mount("tmpfs", "/dev", UInt(linux_mount_without_set_user.rawValue) | Self.inert, "mode=0755")
        for (copy, path) in devices {
            Self.make(path)
            try Self.attach(copy, path)
        }
        for (name, place) in [
            ("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"), ("ptmx", "pts/ptmx"),
        ] { _ = unsafe symlink(place, "/dev/" + name) }
        for (name, kind, options) in [
            ("pts", "devpts", "newinstance,ptmxmode=0666,mode=0620"), ("shm", "tmpfs", "mode=1777"),
        ] {
            unsafe mkdir("/dev/" + name, 0o755)
            let flags = name == "pts" ? UInt(linux_mount_without_set_user.rawValue) | Self.inert : Self.quiet
            try Self.mount(kind, "/dev/" + name, flags, options)
        }
        // Those that hold others first.
        let places: [(copy: CInt?, path: String)] = temporary.map { (nil, $0) } + folders.map { ($0.copy, $0.path) }
        for (copy, path) in places.sorted(by: { $0.path.utf8.count < $1.path.utf8.count }) {
            if let copy {
                if Self.isFolder(copy) {
                    Self.makeFolders(path)
                } else {
                    Self.makeFolders(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
                    Self.make(path)
                }
                try Self.attach(copy, path)
            } else if Self.isThere(path) {
                let isShared = ["/tmp", "/var/tmp"].contains(path)
                try Self.mount("tmpfs", path, Self.quiet, isShared ? "mode=1777" : "mode=0700")
            }
        }
        for path in hidden { try Self.hide(path) }
    }

    /// Lets this process be killed when the one ends that has made it.
    package static func endWithParent() { _ = linux_end_with_parent() }

    /// Starts the first of the processes behind the wall, which does nothing but be there.
    ///
    /// - Returns: Its number. When it is killed, so are all others.
    package func startFirstProcess() throws(Flaw) -> CInt {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .process(errno) }
        defer { close(ends[0]) }
        let process = fork()
        guard process >= 0 else {
            let number = errno
            close(ends[1])
            throw .process(number)
        }
        if process == 0 { Self.stand(telling: ends[1], not: ends[0]) }
        close(ends[1])
        var answer: CInt = 0
        var count = -1
        repeat { count = unsafe read(ends[0], &answer, 4) } while count < 0 && errno == EINTR
        guard count == 4 else { throw .ended }
        guard answer != Self.noFilter else { throw .filter }
        guard answer == 0 else { throw .mounts("/proc", answer) }
        return process
    }

    /// What the first process says in the place of an error of the system's.
    private static let noFilter: CInt = -1

    /// What the first process does.
    ///
    /// Where nobody listens any more, it ends.
    private static func stand(telling descriptor: CInt, not other: CInt) -> Never {
        close(other)
        _ = linux_end_with_parent()
        // Nobody waits for those whose parents have ended: the system removes them.
        _ = signal(SIGCHLD, SIG_IGN)
        var failure: CInt = 0
        do throws(Flaw) {
            try mount("proc", "/proc", quiet | inert, nil)
            for path in kernelSettings.map({ "/proc/" + $0 }) where isThere(path) {
                let copy = try copy(path)
                guard unsafe linux_lock_mounts(copy, "", 1) == 0 else { throw .mounts(path, errno) }
                try attach(copy, path)
            }
            guard renounce(writing: []) else { throw .filter }
        } catch {
            failure = if case .mounts(_, let number) = error { number } else { noFilter }
        }
        let count = unsafe Glibc.write(descriptor, &failure, 4)
        guard count == 4, failure == 0 else { _exit(1) }
        _ = linux_close_all(0, .max)
        while true { pause() }
    }

    /// What the process does last that becomes the program.
    package func enter() throws(Flaw) {
        _ = linux_end_with_parent()
        guard unsafe chdir(folder) == 0 else { throw .mounts(folder, errno) }
        guard linux_close_all(3, .max) == 0, Self.renounce(writing: writable + temporary + ["/dev", "/proc"]) else {
            throw .filter
        }
    }

    private static func renounce(writing folders: [String]) -> Bool {
        linux_drop_capabilities() == 0 && linux_renounce_privileges() == 0 && FileRules.keepApart(writing: folders)
            && SystemCallFilter.apply(ProgramCallFilter.program)
    }

    // Steps.

    /// A folder that is open leads to files as they were before, and a socket without another end to any other one.
    private static func leaveWaysOut() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where isFolder(descriptor) || isLooseSocket(descriptor) {
            let nothing = unsafe open("/dev/null", O_RDWR)
            if nothing >= 0, nothing != descriptor {
                dup2(nothing, descriptor)
                close(nothing)
            }
        }
    }

    private static func isFolder(_ descriptor: CInt) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a descriptor is a unix socket that could be connected, or send, to somebody else.
    private static func isLooseSocket(_ descriptor: CInt) -> Bool {
        func option(_ name: CInt) -> CInt? {
            var (value, size) = (0 as CInt, socklen_t(4))
            return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }
        guard option(SO_DOMAIN) == AF_UNIX else { return false }
        var (address, size) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
        return unsafe option(SO_TYPE) != CInt(SOCK_STREAM.rawValue) || getpeername(descriptor, &address, &size) != 0
    }

    private static func terminal(of descriptor: CInt) -> String? {
        guard isatty(descriptor) == 1, let name = unsafe ttyname(descriptor) else { return nil }
        return unsafe String(cString: name)
    }

    private static func isThere(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func mount(_ kind: String, _ path: String, _ flags: UInt, _ options: String?) throws(Flaw) {
        let done =
            if let options { unsafe linux_mount_new(kind, path, flags, options) } else {
                unsafe linux_mount_new(kind, path, flags, nil)
            }
        guard done == 0 else { throw .mounts(path, errno) }
    }

    private static func copy(_ path: String) throws(Flaw) -> CInt {
        let copy = unsafe linux_copy_mounts(path)
        guard copy >= 0 else { throw .mounts(path, errno) }
        return copy
    }

    private static func attach(_ copy: CInt, _ path: String) throws(Flaw) {
        defer { close(copy) }
        guard unsafe linux_attach_mounts(copy, path) == 0 else { throw .mounts(path, errno) }
    }

    /// Puts something empty in the place of a file or folder; what this process cannot find the program cannot either.
    private static func hide(_ path: String) throws(Flaw) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard [ENOENT, ENOTDIR, EACCES].contains(errno) else { throw .mounts(path, errno) }
            return
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            try mount("tmpfs", path, quiet | inert | UInt(linux_mount_read_only.rawValue), "mode=0700,size=4k")
        } else {
            try attach(copy("/dev/null"), path)
        }
    }

    private static func make(_ path: String) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    private static func makeFolders(_ path: String) {
        for (index, character) in zip(path.indices, path).dropFirst() where character == "/" {
            unsafe mkdir(String(path[..<index]), 0o755)
        }
        unsafe mkdir(path, 0o755)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }
}
