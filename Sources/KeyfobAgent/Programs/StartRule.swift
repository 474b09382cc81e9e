internal import Keyfob
internal import KeyfobFiles

/// By which rule the kernel starts a file (execve(2)): an executable by itself, a script by what its first line names.
struct StartRule {
    /// The folders of `PATH`, in which env(1) looks.
    let folders: [String]

    /// Why it cannot be told what starts.
    enum Failure: Error, Equatable {
        /// The file cannot be read.
        case unreadable(String)
        /// The first line names what is no file.
        case noInterpreter(String)
        /// The first line has env(1) do what cannot be followed.
        case unclear(String)
        /// Scripts run scripts, and so on.
        case tooDeep
    }

    /// As many scripts as the kernel lets run one another, and env(1) once more for each.
    private static let depth = 10
    /// How much of a script the kernel looks at (binfmts.h, `BINPRM_BUF_SIZE`).
    private static let headCount = 256

    /// What runs when the file at `path`, which has no links in it, is started.
    func start(of path: String) throws(Failure) -> ProgramStart {
        var (file, words) = (path, [path])
        for step in 0..<Self.depth {
            guard let head = FileAccess.head(file, count: Self.headCount) else { throw .unreadable(file) }
            if head.starts(with: [0x7F] + Array("ELF".utf8)) {
                guard step > 0, Self.name(words[0]) == "env" else {
                    return ProgramStart(executable: file, arguments: words)
                }
                guard let command = Self.command(ofEnv: words) else { throw .unclear(path) }
                words = command
                // One that is not there may be when the script is started, and is called the same then.
                guard let found = program(command[0]) else {
                    return ProgramStart(executable: command[0], arguments: command)
                }
                file = found
            } else if step > 0, let start = Self.wrapped(path, by: file, words) {
                return start
            } else if let line = Self.line(of: head) {
                words = line + [file] + words.dropFirst()
                guard let real = FileAccess.realPath(line[0]) else {
                    guard Interpreter(executable: line[0]) != nil else { throw .noInterpreter(line[0]) }
                    return ProgramStart(executable: line[0], arguments: words)
                }
                file = real
            } else {
                // What the kernel cannot run, the shell does.
                return ProgramStart(executable: "/bin/sh", arguments: ["sh", path])
            }
        }
        throw .tooDeep
    }

    /// How a wrapper by the name of an interpreter, such as pyenv's, goes on: it becomes that one, and runs the script.
    private static func wrapped(_ path: String, by wrapper: String, _ words: [String]) -> ProgramStart? {
        let start = ProgramStart(executable: wrapper, arguments: words)
        return start.program() == Program(.script, path) ? start : nil
    }

    /// The interpreter and perhaps one argument in the first line of a script; nil for a file without such a line.
    static func line(of head: [UInt8]) -> [String]? {
        guard head.starts(with: "#!".utf8) else { return nil }
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let end = head.firstIndex(of: UInt8(ascii: "\n")) ?? head.endIndex
        var line = head[2..<end].drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        let interpreter = line.prefix { !isBlank($0) && $0 != 0 }
        let rest = line.dropFirst(interpreter.count).drop(while: isBlank).prefix { $0 != 0 }
        let words = [interpreter, rest].filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
        return interpreter.isEmpty ? nil : words
    }

    /// The words that env(1) starts another program with, of those that it was started with; nil where that cannot be told.
    static func command(ofEnv words: [String]) -> [String]? {
        var rest = words.dropFirst()
        // The kernel gives what stands behind the interpreter as one word, which -S parts.
        if let first = rest.first, let text = splitText(of: first) {
            guard !text.contains(where: { #""'\$#"#.contains($0) }) else { return nil }
            rest = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init) + rest.dropFirst()
        }
        while let word = rest.first {
            switch word {
            case "-", "-i", "--ignore-environment", "-v", "--debug": rest = rest.dropFirst()
            case "-u", "--unset": rest = rest.dropFirst(2)
            case "--":
                rest = rest.dropFirst()
                return rest.isEmpty ? nil : Array(rest)
            // Where relative names begin, where programs are looked for, and what is not known here.
            case _ where word.hasPrefix("-") || word.hasPrefix("PATH="): return nil
            case _ where word.contains("="): rest = rest.dropFirst()
            default: return Array(rest)
            }
        }
        return nil
    }

    /// What an option of env(1) has parted at its blanks: `-S TEXT`, also behind others as in `-iS TEXT`.
    private static func splitText(of word: String) -> Substring? {
        if word.hasPrefix("--split-string=") { return word.dropFirst("--split-string=".count) }
        guard word.hasPrefix("-"), let option = word.firstIndex(of: "S"),
            word[..<option].dropFirst().allSatisfy({ "iv".contains($0) })
        else { return nil }
        return word[word.index(after: option)...]
    }

    private static func name(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }

    /// The file that a name means, as execvp(3) finds it; nil where none does.
    private func program(_ name: String) -> String? {
        if name.contains("/") { return FileAccess.realPath(name) }
        return folders.lazy.map { FileAccess.path($0, name) }.first(where: Self.isProgram).flatMap {
            FileAccess.realPath($0)
        }
    }

    /// Whether a regular file is at a path that this user may start.
    static func isProgram(_ path: String) -> Bool {
        FileAccess.status(path, following: true)?.isRegularFile == true && FileAccess.isExecutable(path)
    }
}
