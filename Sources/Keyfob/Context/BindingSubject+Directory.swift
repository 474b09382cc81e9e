internal import KeyfobFiles
internal import KeyfobLookup

extension Binding.Subject {
    /// The directory at `path`, which may be relative and lead over symbolic links.
    ///
    /// - Parameter mustExist: Whether it has to be there; one that is gone can still be unbound.
    /// - Throws: `noSuchFile` when there is none, `usage` for what is no directory.
    public init(directoryAt path: String, mustExist: Bool = true) throws(KeyringError) {
        if let real = FileAccess.realPath(path) {
            guard FileAccess.status(real, following: true)?.isDirectory == true || !mustExist else {
                throw KeyringError(.usage, "\(path) is not a directory")
            }
            self = .directory(real)
        } else {
            guard !mustExist, !path.isEmpty, let former = FileAccess.formerPath(path) else {
                throw KeyringError(.noSuchFile, "there is no directory \(path.isEmpty ? "''" : path)")
            }
            self = .directory(former)
        }
    }

    /// Where the git repository around a directory lies, with which its working trees elsewhere count too.
    ///
    /// - Throws: `noSuchFile` where there is none.
    package init(repositoryAround path: String) throws(KeyringError) {
        guard let place = DirectoryContext.repository(around: path) else {
            throw KeyringError(
                .noSuchFile, "there is no git repository around \(path == "." ? "the current directory" : path)")
        }
        self = .directory(place)
    }
}
