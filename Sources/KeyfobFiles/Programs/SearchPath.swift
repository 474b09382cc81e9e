internal import Glibc

/// Where the programs are that `PATH` names.
package enum SearchPath {
    /// The program that a shell would start by a name; relative folders of `PATH` do not count.
    ///
    /// - Parameter path: The value of `PATH`; nil where it is not set.
    package static func program(_ name: String, in path: String?) -> String? {
        (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
            .map { "\($0)/\(name)" }.first(where: isProgram)
    }

    /// Whether there is a file at a path that this user can run.
    package static func isProgram(_ path: String) -> Bool {
        guard FileAccess.status(path, following: true)?.isRegularFile == true else { return false }
        return unsafe access(path, X_OK) == 0
    }
}
