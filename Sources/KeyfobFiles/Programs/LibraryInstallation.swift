internal import CLinux

extension Installation {
    /// The full program of the same installation as the library that `address` is in; nil where there is none that nobody but
    /// this user and root can have put there.
    ///
    /// It is looked for where the library lies alone, and neither in the path nor by the environment.
    package static func fullProgram(beside address: UnsafeRawPointer) -> String? {
        // What was loaded by a relative path lies in a folder that the process may have left.
        guard let name = unsafe linux_loaded_file(address), let text = unsafe String(validatingCString: name),
            text.hasPrefix("/"), let library = FileAccess.realPath(text)
        else { return nil }
        return fullPrograms(ofLibrary: library).first { path in
            guard let file = FileAccess.status(path, following: true), let real = FileAccess.realPath(path),
                let folder = FileAccess.status(FileAccess.folder(of: real), following: true)
            else { return false }
            return file.isRegularFile && [file, folder].allSatisfy { $0.isTrustworthy && !$0.isWritableByEverybody }
                && FileAccess.isExecutable(path)
        }
    }

    /// Where it may be for a library at `path`: one that is installed in `lib`, or in the folder there that has the machine's
    /// name, or one in the folder where it was built.
    static func fullPrograms(ofLibrary path: String) -> [String] {
        let folder = FileAccess.folder(of: path)
        let isOfMachine = folder.hasSuffix("-linux-gnu")
        // As if a front lay there.
        return [fullProgram(of: isOfMachine ? folder : path), FileAccess.path(folder, "keyfob")]
    }
}
