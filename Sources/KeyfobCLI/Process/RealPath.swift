internal import Keyfob

/// Paths without links and dots.
enum RealPath {
    /// The real path of a file; of one that does not exist, that of its folder with its name.
    static func of(_ path: String) -> String {
        if let resolved = FileAccess.realPath(path) { return resolved }
        guard let slash = path.lastIndex(of: "/") else { return (FileAccess.realPath(".") ?? ".") + "/" + path }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (FileAccess.realPath(folder) ?? folder) + path[slash...]
    }
}
