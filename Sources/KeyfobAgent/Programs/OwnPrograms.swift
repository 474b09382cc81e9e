package import Keyfob
internal import KeyfobFiles

/// Keyfob itself among programs: the full program that runs here, and the front that becomes it.
///
/// They are known by being these files, wherever they lie and however they are called.
package struct OwnPrograms: Sendable {
    /// The path of the full program, as the kernel shows it.
    let path: String?
    private let identity: FileIdentity?

    /// Those of the program that this process runs, unless the path of another one is given.
    package init(fullProgram: String? = nil) {
        let link = "/proc/self/exe"
        let shown = fullProgram ?? FileAccess.link(link)
        // Of a file that was replaced while it runs.
        let gone = " (deleted)"
        path = shown.map { $0.hasSuffix(gone) ? String($0.dropLast(gone.count)) : $0 }
        identity =
            path.flatMap { FileIdentity($0, following: true) }
            ?? (fullProgram == nil ? FileIdentity(link, following: true) : nil)
    }

    /// The full program, as permissions name it.
    package var program: Program? { path.flatMap { Program(.executable, $0) } }

    /// What a file without links in its path is to Keyfob.
    enum Part: Equatable {
        /// The full program, or the front that becomes it.
        case own
        /// The front of another installation, and its full program.
        case otherFront(fullProgram: String)
    }

    /// Which part of Keyfob a file is; nil for all other programs, whatever lies near them.
    func part(_ file: String) -> Part? {
        guard let identity, let this = FileIdentity(file) else { return nil }
        if this == identity { return .own }
        // The front is the file of this name whose full program is beside it: what else lies there is no front.
        let named = FileAccess.path(FileAccess.folder(of: file), "keyfob")
        guard FileIdentity(named) == this, let full = FileAccess.realPath(Installation.fullProgram(of: file)) else {
            return nil
        }
        let other = FileIdentity(full)
        if other == identity { return .own }
        return other == this ? nil : .otherFront(fullProgram: full)
    }
}
