/// The two programs of an installation: the front, which people start, and the full program, which the front becomes.
package enum Installation {
    /// The full program, from the folder above the one that the front is in.
    private static let place = "/libexec/keyfob/keyfob"

    /// Where the full program lies for a front at `path`, such as `/usr/bin/keyfob`.
    package static func fullProgram(of front: String) -> String {
        var folder = front
        for _ in 0..<2 { folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]) }
        return folder + place
    }
}
