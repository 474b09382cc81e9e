internal import Keyfob
internal import KeyfobFiles

/// A program as the kernel has started it: the file that runs, and the words that it was given.
struct ProgramStart: Equatable {
    /// The path of the file that runs, without links.
    let executable: String
    /// The words, the first of which names the program.
    let arguments: [String]

    /// The program as permissions name it: the script that an interpreter runs, else the executable.
    ///
    /// - Parameters:
    ///   - folder: Where relative paths among the words begin; nil where that is not known.
    ///   - isSame: Whether the process finds the same file at a path as this one does.
    func program(in folder: String?, where isSame: (String) -> Bool = { _ in true }) -> Program? {
        script(in: folder, where: isSame) ?? Program(.executable, executable)
    }

    /// The path of the script as the process was given it; nil where none runs, or where that cannot be told.
    func namedScript(in folder: String?) -> String? {
        guard let interpreter = Interpreter(executable: executable),
            let word = interpreter.script(in: arguments), !word.isEmpty
        else { return nil }
        return word.hasPrefix("/") ? word : folder.map { FileAccess.path($0, word) }
    }

    private func script(in folder: String?, where isSame: (String) -> Bool) -> Program? {
        guard let named = namedScript(in: folder), let real = FileAccess.realPath(named),
            FileAccess.status(real, following: false)?.isRegularFile == true, isSame(real)
        else { return nil }
        return Program(.script, real)
    }
}
