/// Of what lies at a remote, what is brought here: files that a sync has, as far as there is room.
enum SyncChoice {
    /// How many bytes a list of files has at most.
    static let listLimit = 8 << 20
    /// How many files are brought.
    static let fileLimit = 4_096
    /// The longest head and request, in bytes.
    static let headLimit = 2 << 20
    /// How many bytes all files have at most.
    static let totalLimit = 256 << 20

    /// How long a file may be.
    static func limit(of path: String) -> Int { SyncMirror.isReplaced(path) ? headLimit : totalLimit }

    /// Those that are brought: heads and requests first, then the shorter ones first.
    static func chosen<File>(_ files: [File], _ path: (File) -> String, _ size: (File) -> Int) -> [File] {
        func rank(_ file: File) -> (Int, Int, String) {
            (SyncMirror.isReplaced(path(file)) ? 0 : 1, size(file), path(file))
        }
        var total = 0
        return files.filter { (0...limit(of: path($0))).contains(size($0)) }.sorted { rank($0) < rank($1) }
            .prefix(fileLimit).filter { file in
                guard total + size(file) <= totalLimit else { return false }
                total += size(file)
                return true
            }
    }
}
