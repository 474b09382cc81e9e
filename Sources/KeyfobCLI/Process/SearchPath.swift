internal import FoundationEssentials
internal import KeyfobFiles

/// Where the programs are that `PATH` names.
enum SearchPath {
    /// The program that a shell would start by a name; relative folders of `PATH` do not count.
    static func program(_ name: String, _ environment: Environment = .current) -> String? {
        (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
            .map { "\($0)/\(name)" }.first(where: isProgram)
    }

    /// Whether there is a file at a path that this user can run.
    static func isProgram(_ path: String) -> Bool {
        FileAccess.status(path, following: true)?.isRegularFile == true
            && FileManager.default.isExecutableFile(atPath: path)
    }
}
