internal import CLinux
internal import Glibc

/// Landlock (`landlock(7)`): which files a process can open, and that it connects to nothing.
struct FileRules {
    let reading: [String]
    let writing: [String]

    /// The version of the kernel's interface; 0 where there is none.
    static var version: Int { max(0, Int(linux_landlock_version())) }

    private static let (execute, writeFile, readFile, readFolder) = (1 as UInt64, 2 as UInt64, 4 as UInt64, 8 as UInt64)
    private static let (move, truncate, control) = (1 << 13 as UInt64, 1 << 14 as UInt64, 1 << 15 as UInt64)

    /// - Returns: Whether the rules hold, or the kernel is too old for them.
    func apply() -> Bool {
        let version = Self.version
        guard version >= Confinement.oldestLandlock else { return true }
        // Each version knew one right more: to move, to cut, and since the fifth to control devices.
        let known = version >= 5 ? 16 : version >= 3 ? 15 : 14
        let all = UInt64(1) << UInt64(known) - 1
        let handled = linux_landlock_rights(
            files: all, network: version >= 4 ? 3 : 0, scopes: version >= 6 ? 3 : 0)
        let ruleset = linux_landlock_ruleset(handled)
        guard ruleset >= 0 else { return false }
        defer { close(ruleset) }
        for path in reading { Self.allow(path, Self.readFile | Self.readFolder, ruleset) }
        for path in writing { Self.allow(path, all & ~Self.execute, ruleset) }
        return linux_landlock_restrict(ruleset) == 0
    }

    /// Keeps the process from abstract sockets of others, from sending signals to others, and from opening files elsewhere
    /// for writing, where the kernel offers that.
    ///
    /// A mount that is read-only does not keep anybody from writing into a pipe that has a name, nor from a file that is open.
    /// What is mounted below a folder of `folders` counts as a part of it: a pipe there can be written.
    /// The first version knows no right to move files between folders, and would forbid that: there it is left.
    ///
    /// - Parameter folders: Where it can write. Files that are open for writing as standard descriptors stay so.
    /// - Returns: Whether it holds, or the kernel is too old for it.
    static func keepApart(writing folders: [String]) -> Bool {
        let version = Self.version
        guard version >= Confinement.oldestLandlock else { return true }
        let rights = writeFile | move | (version >= 3 ? truncate : 0)
        let ruleset = linux_landlock_ruleset(
            linux_landlock_rights(files: rights, network: 0, scopes: version >= 6 ? 3 : 0))
        guard ruleset >= 0 else { return false }
        defer { close(ruleset) }
        for path in folders { allow(path, rights, ruleset) }
        for descriptor in STDIN_FILENO...STDERR_FILENO {
            let mode = fcntl(descriptor, F_GETFL)
            guard mode >= 0, mode & O_ACCMODE != O_RDONLY else { continue }
            _ = linux_landlock_allow(ruleset, descriptor, rights & ~move)
        }
        return linux_landlock_restrict(ruleset) == 0
    }

    /// What is not there needs no rule.
    private static func allow(_ path: String, _ rights: UInt64, _ ruleset: CInt) {
        // O_PATH: not to read, only to name it.
        let descriptor = unsafe open(path, 0o10000000 | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let ofFiles = execute | writeFile | readFile | truncate | control
        _ = linux_landlock_allow(ruleset, descriptor, isFolder ? rights : rights & ofFiles)
    }
}
