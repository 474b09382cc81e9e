internal import Glibc

/// Paths without links and dots.
enum RealPath {
    /// The real path of a file; of one that does not exist, that of its folder with its name.
    static func of(_ path: String) -> String {
        if let resolved = resolve(path) { return resolved }
        guard let slash = path.lastIndex(of: "/") else { return (resolve(".") ?? ".") + "/" + path }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (resolve(folder) ?? folder) + path[slash...]
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
