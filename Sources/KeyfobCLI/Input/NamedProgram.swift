internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles

/// A program as a person names it.
struct NamedProgram {
    /// The program.
    let program: Program
    /// What else the same word names: a path was perhaps a script's when it was allowed.
    let possible: [Program]

    /// - Throws: `usage` for a word that names no program, `noSuchFile` for a path at which no file is.
    init(_ word: String, mustExist: Bool = true) throws(KeyringError) {
        if let program = Program(word), !word.hasPrefix("/") {
            (self.program, possible) = (program, [program])
            return
        }
        if let colon = word.firstIndex(of: ":"), let kind = Program.Kind(rawValue: String(word[..<colon])) {
            let hint =
                switch kind {
                case .service: "a service is named with its suffix, as service:backup.service"
                case .script, .executable:
                    "a file is named by its absolute path, as \(kind.rawValue):/usr/local/bin/NAME"
                case .flatpak: "an application is named by its id, as flatpak:org.mozilla.Thunderbird"
                case .snap: "a snap is named by small letters, digits and hyphens, as snap:thunderbird"
                }
            throw KeyringError(.usage, "'\(word)' names no program", hint: hint)
        }
        if !word.contains("/"), word.contains(":") { throw Self.noProgram(word) }
        let named = word.contains("/") ? word : SearchPath.program(word)
        guard let named else {
            throw KeyringError(
                .noSuchFile, "there is no program \(word) in PATH", hint: "a file is named by its path, as ./NAME")
        }
        let path = FileAccess.realPath(named) ?? (mustExist ? nil : FileAccess.formerPath(named))
        guard var path else { throw KeyringError(.noSuchFile, "there is no file \(named)") }
        if FileAccess.status(path, following: true)?.isDirectory == true {
            throw KeyringError(.usage, "\(path) is a folder, and no program", hint: "give the path of its file")
        }
        // What starts as keyfob hands on to this program, which is the one that asks.
        if let own = FileAccess.link("/proc/self/exe"), let full = Self.fullProgram(besides: path), full == own {
            path = own
        }
        let isScript = !FileAccess.isExecutableImage(path)
        guard let script = Program(.script, path), let executable = Program(.executable, path) else {
            throw Self.noProgram(word)
        }
        program = isScript ? script : executable
        possible = [program, isScript ? executable : script]
    }

    /// The digest of its file; nil where it has none.
    ///
    /// - Throws: `inputOutput` where the file cannot be read.
    func digest() throws(KeyringError) -> String? {
        guard program.kind.isPath else { return nil }
        guard let digest = FileDigests().digest(of: program.name) else {
            throw KeyringError(
                .inputOutput, "\(program.name) cannot be read, so that a change of it would go unnoticed",
                hint: "--any-version allows it by its path alone")
        }
        return digest
    }

    /// Where the full program lies for what starts at a path, such as `/usr/bin/keyfob`.
    private static func fullProgram(besides path: String) -> String? {
        let parts = path.split(separator: "/")
        guard parts.count > 1 else { return nil }
        return FileAccess.realPath("/" + parts.dropLast(2).joined(separator: "/") + "/libexec/keyfob/keyfob")
    }

    private static func noProgram(_ word: String) -> KeyringError {
        let kinds = Program.Kind.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
        return KeyringError(
            .usage, "'\(word)' names no program", hint: "give a path, a name in PATH, or one of \(kinds) with a name")
    }
}
