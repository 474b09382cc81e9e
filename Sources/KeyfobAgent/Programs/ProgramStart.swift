internal import Keyfob
internal import KeyfobFiles

/// A program as the kernel has started it: the file that runs, and the words that it was given.
struct ProgramStart: Equatable {
    /// The path of the file that runs, without links.
    let executable: String
    /// The words, the first of which names the program.
    let arguments: [String]

    /// The program as permissions name it, where the words hold whole paths: the script that an interpreter of the system's runs,
    /// else the executable.
    func program() -> Program? {
        guard let interpreter = Interpreter(executable: executable), let word = interpreter.script(in: arguments),
            word.hasPrefix("/"), isTrusted, let real = FileAccess.realPath(word),
            FileAccess.status(real, following: false)?.isRegularFile == true, let script = Program(.script, real)
        else { return Program(.executable, executable) }
        return script
    }

    /// Whether no program of the user's can be in the place of what runs; one that is not there may still come.
    private var isTrusted: Bool {
        guard let real = FileAccess.realPath(executable) else { return true }
        return FileLook.isSystems(real)
    }
}
