internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles

/// A program as a person names it.
struct NamedProgram {
    /// What was typed.
    let word: String
    /// The program that an agent sees.
    var program: Program { found.program }
    private let found: ProgramResolver.Found

    /// - Throws: `usage` for a word that names no program, `noSuchFile` for a path at which no file is.
    init(_ word: String, _ environment: Environment = .current) throws(KeyringError) {
        self.word = word
        do throws(ProgramProblem) {
            found = try ProgramResolver(searchPath: environment["PATH"]).program(word)
        } catch {
            throw KeyringError(error)
        }
    }

    /// All that a word may have named when something was decided, or asked; its file may be gone.
    ///
    /// - Throws: `usage` for a word that names no program, `noSuchFile` for a name that is not in `PATH`.
    static func names(_ word: String, _ environment: Environment = .current) throws(KeyringError) -> [Program] {
        do throws(ProgramProblem) {
            return try ProgramResolver(searchPath: environment["PATH"]).names(word)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The digest of its file; nil where it has none.
    ///
    /// - Throws: `noSuchFile` where there is no file, `inputOutput` where it cannot be read.
    func digest() throws(KeyringError) -> String? {
        guard program.kind.isPath else { return nil }
        guard let digest = FileDigests().digest(of: program.name) else {
            guard FileAccess.status(program.name, following: true) != nil else {
                throw KeyringError(ProgramProblem.missing(program.name))
            }
            throw KeyringError(
                .inputOutput, "\(program.name) cannot be read, so that a change of it would go unnoticed",
                hint: "--any-version allows it by its path alone")
        }
        return digest
    }

    /// Tells which program the word means, where it does not say so.
    func tell(_ global: GlobalOptions) {
        guard !global.json else { return }
        if found.isOwn, word != program.name {
            global.say("\(word) is Keyfob itself, \(program.name)")
        } else if let interpreter = found.interpreter {
            global.say("\(word) is \(word == program.name ? "" : "\(program.name), ")run by \(interpreter)")
        } else if word != program.name && word != program.description {
            global.say("\(word) is \(program.name)")
        }
    }

    /// Warns of who else has what the program may have, and of when it has not.
    func warn(_ global: GlobalOptions) {
        if found.isOwn {
            global.say("keyfob: warning: every program of yours can start keyfob, and so may have this too")
        } else if program.kind == .executable, Interpreter(executable: program.name) != nil {
            global.say(
                "keyfob: warning: \(program) is an interpreter: what it is given by an option such as -c or -m, or is typed, "
                    + "has the tokens too; a script is allowed by its own path")
        } else if found.isPlain, FileAccess.isExecutable(program.name) {
            global.say(
                "keyfob: warning: the first line of \(program.name) names no interpreter, such as #!/bin/sh: where bash starts it, "
                    + "it is seen as bash")
        }
    }
}

extension KeyringError {
    /// Why a word names no program, and what to type instead.
    init(_ problem: ProgramProblem) {
        switch problem {
        case .notInPath(let name):
            self.init(
                .noSuchFile, "there is no program \(name) in PATH", hint: "a file is named by its path, as ./NAME")
        case .inRelativeFolder(let name, let folder):
            self.init(
                .usage, "PATH has \(name) in '\(folder)' first, which is another folder elsewhere",
                hint: "give its path, as \(ShellWord.inMessage(folder + "/" + name))")
        case .missing(let path):
            self.init(
                .noSuchFile, "there is no file \(path)",
                hint: "check the path; a program in PATH is named without its folder")
        case .removed(let path):
            self.init(
                .noSuchFile, "\(path) was removed or replaced while a program ran from it",
                hint: "start the program again, and name it as \(ShellWord.inMessage(path))")
        case .danglingLink(let path, let target):
            self.init(
                .noSuchFile, "\(path) is a link to \(target), where no file is",
                hint: "put the file there, or name another one")
        case .folder(let path):
            self.init(.usage, "\(path) is a folder, and no program", hint: "give the path of its file")
        case .notRegular(let path):
            self.init(.usage, "\(path) is no file, and so no program", hint: "give the path of the program's file")
        case .notExecutable(let path):
            self.init(
                .usage, "\(path) is not executable, so that nobody can start it",
                hint: "'chmod +x \(ShellWord.inMessage(path))' makes it so")
        case .unreadable(let path):
            self.init(
                .inputOutput, "you may not read \(path), so that the system does not show which program runs from it",
                hint: "make it readable, or run it as a service and name that, as service:NAME.service")
        case .noInterpreter(let path, let interpreter):
            self.init(
                .noSuchFile, "\(path) is run by \(interpreter), which is not there",
                hint: "install that, or correct the first line of the script")
        case .seenAs(let program, let path):
            self.init(
                .usage, "\(path) is run by \(program.name), and an agent cannot see that it runs this file",
                hint: "\(ShellWord.inMessage(program.description)) names all that it runs")
        case .unclear(let path):
            self.init(
                .usage, "what runs \(path) cannot be told from its first line",
                hint: "\(ShellWord.inMessage("script:\(path)")) names it, where an interpreter is given its path")
        case .otherInstallation(let path, let fullProgram):
            self.init(
                .usage, "\(path) is of another installation of Keyfob, and becomes \(fullProgram)",
                hint: "name that file")
        case .noName(let word, let kind):
            self.init(.usage, "'\(word)' names no program", hint: kind.map(Self.example) ?? Self.ways)
        }
    }

    private static func example(of kind: Program.Kind) -> String {
        switch kind {
        case .service: "a service is named with its suffix, as service:backup.service"
        case .script, .executable: "a file is named by its absolute path, as \(kind.rawValue):/usr/local/bin/NAME"
        case .flatpak: "an application is named by its id, as flatpak:org.mozilla.Thunderbird"
        case .snap: "a snap is named by small letters, digits and hyphens, as snap:thunderbird"
        case .socket: "a socket is named as --for of 'keyfob agent' names it, as socket:devcontainer"
        }
    }

    private static var ways: String {
        let kinds = Program.Kind.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
        return "give a path, a name in PATH, or one of \(kinds) with a name"
    }
}
