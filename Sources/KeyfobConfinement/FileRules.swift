internal import CLinux
internal import Glibc

/// Landlock (`landlock(7)`): which files a process can open, and that it connects to nothing.
struct FileRules {
    let reading: [String]
    let writing: [String]

    /// The version of the kernel's interface; 0 where there is none.
    static var version: Int { max(0, Int(linux_landlock_version())) }

    private static let (execute, writeFile, readFile, readFolder) = (1 as UInt64, 2 as UInt64, 4 as UInt64, 8 as UInt64)
    private static let (truncate, control) = (1 << 14 as UInt64, 1 << 15 as UInt64)

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

    /// Keeps the process from abstract sockets of others, and from sending signals to others, where the kernel offers that.
    ///
    /// - Returns: Whether it holds, or the kernel is too old for it.
    static func keepApart() -> Bool {
        guard version >= 6 else { return true }
        let ruleset = linux_landlock_ruleset(linux_landlock_rights(files: 0, network: 0, scopes: 3))
        guard ruleset >= 0 else { return false }
        defer { close(ruleset) }
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
