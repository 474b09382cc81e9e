package import Keyfob
internal import Glibc
internal import KeyfobFiles

/// Finds out which program a word means: the one that an agent sees when it asks.
package struct ProgramResolver: Sendable {
    /// The folders of `PATH`, those that are named from elsewhere than `/` too.
    private let folders: [String]
    private let own: OwnPrograms
    private var rule: StartRule { StartRule(folders: folders.filter { $0.hasPrefix("/") }) }

    /// A program that was found.
    package struct Found: Equatable, Sendable {
        /// What permissions call it.
        package let program: Program
        /// The interpreter that runs it, where it is a script that says so.
        package var interpreter: String?
        /// Whether it is a script that names no interpreter, which the shell runs that it is started from.
        package var isPlain = false
        /// Whether it is Keyfob itself.
        package var isOwn = false
    }

    /// - Parameters:
    ///   - searchPath: What `PATH` says; nil where it is not set.
    ///   - own: Keyfob itself.
    package init(searchPath: String?, own: OwnPrograms = OwnPrograms()) {
        // What an empty name means is the folder that the shell is in.
        folders = (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "." : String($0) }
        self.own = own
    }

    /// The program that a word names: the path of a file, a name in `PATH`, or a kind and a name with a colon between.
    package func program(_ word: String) throws(ProgramProblem) -> Found {
        if let (kind, name) = try Self.kind(of: word) {
            let written = Found(program: try Self.named(kind, name))
            // A file that is not there yet, or any more, is called as it is written.
            guard kind.isPath, let real = FileAccess.realPath(name) else { return written }
            if let found = try ownProgram(real) { return found }
            return Found(program: try Self.named(kind, real))
        }
        let named = try path(of: word)
        guard let real = FileAccess.realPath(named) else { throw Self.missing(named, errno) }
        guard let status = FileAccess.status(real, following: false) else { throw .missing(named) }
        if status.isDirectory { throw .folder(real) }
        guard status.isRegularFile else { throw .notRegular(real) }
        if let found = try ownProgram(real) { return found }
        return try file(real)
    }

    /// All names under which something may have been decided, or noted, of what a word names now or named before.
    ///
    /// The file may be gone. The first is what it is called now.
    package func names(_ word: String) throws(ProgramProblem) -> [Program] {
        var found = [try? program(word).program].compactMap(\.self)
        if let (kind, name) = try Self.kind(of: word) {
            found.append(try Self.named(kind, name))
        } else {
            let named = try path(of: word)
            // Where it is a link now, a file may have been there before.
            let place = FileAccess.formerPath(Self.folder(of: named)).map { FileAccess.path($0, Self.lastName(named)) }
            let paths = [FileAccess.realPath(named) ?? FileAccess.formerPath(named), place].compactMap(\.self)
            for path in paths {
                found += [Program.Kind.executable, .script].compactMap { Program($0, path) }
            }
            if found.isEmpty { throw .noName(word, nil) }
        }
        return found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// How the file of a program is now, beside how it was when it was allowed.
    package enum State: Equatable, Sendable {
        case asAllowed
        case changed
        /// Nothing is at its path.
        case gone
        /// A link is at its path, to what an agent sees in its place.
        case link(to: String)
    }

    /// How the file of a program is now; nil for one that is known by no file.
    package static func state(of program: Program, digest: String?, _ digests: FileDigests) -> State? {
        guard program.kind.isPath else { return nil }
        guard let real = FileAccess.realPath(program.name) else { return .gone }
        guard real.utf8.elementsEqual(program.name.utf8) else { return .link(to: real) }
        return digest == nil || digests.digest(of: real) == digest ? .asAllowed : .changed
    }

    // MARK: Words

    /// The kind that a word begins with, and the name behind it; nil for a path, and for a name in `PATH`.
    private static func kind(of word: String) throws(ProgramProblem) -> (Program.Kind, String)? {
        guard !word.hasPrefix("/"), let colon = word.firstIndex(of: ":") else { return nil }
        let name = String(word[word.index(after: colon)...])
        if let kind = Program.Kind(rawValue: String(word[..<colon])) { return (kind, name) }
        if word.contains("/") { return nil }
        throw .noName(word, nil)
    }

    private static func named(_ kind: Program.Kind, _ name: String) throws(ProgramProblem) -> Program {
        guard let program = Program(kind, name) else { throw .noName("\(kind.rawValue):\(name)", kind) }
        return program
    }

    /// The path that a word means, as a shell finds it.
    private func path(of word: String) throws(ProgramProblem) -> String {
        guard !word.isEmpty, !word.utf8.contains(0) else { throw .noName(word, nil) }
        if word.contains("/") { return word }
        let found = folders.first { StartRule.isProgram(FileAccess.path($0, word)) }
        guard let found else { throw .notInPath(word) }
        guard found.hasPrefix("/") else { throw .inRelativeFolder(name: word, folder: found) }
        return FileAccess.path(found, word)
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private static func lastName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// Why there is nothing at a path, by the error number of looking for it.
    private static func missing(_ path: String, _ reason: CInt) -> ProgramProblem {
        if reason == EACCES { return .unreadable(path) }
        let gone = " (deleted)"
        if path.hasSuffix(gone), FileAccess.realPath(String(path.dropLast(gone.count))) != nil {
            return .removed(String(path.dropLast(gone.count)))
        }
        guard let target = FileAccess.link(path) else { return .missing(path) }
        return .danglingLink(path, target: target)
    }

    // MARK: Files

    /// Keyfob itself, where a file is of it.
    private func ownProgram(_ real: String) throws(ProgramProblem) -> Found? {
        switch own.part(real) {
        case .own: own.program.map { Found(program: $0, isOwn: true) }
        case .otherFront(let fullProgram): throw .otherInstallation(real, fullProgram: fullProgram)
        case nil: nil
        }
    }

    /// The program that is seen when a file is started.
    private func file(_ real: String) throws(ProgramProblem) -> Found {
        let start: ProgramStart
        do throws(StartRule.Failure) {
            start = try rule.start(of: real)
        } catch {
            switch error {
            case .unreadable(let path) where path == real: throw .unreadable(real)
            case .noInterpreter(let interpreter): throw .noInterpreter(real, interpreter: interpreter)
            case .unreadable, .unclear, .tooDeep: throw .unclear(real)
            }
        }
        guard let program = start.program() else { throw .noName(real, nil) }
        // What Keyfob is said to run.
        if program.kind == .executable, let own = try ownProgram(program.name) {
            throw .seenAs(own.program, path: real)
        }
        guard program.name.utf8.elementsEqual(real.utf8) else { throw .seenAs(program, path: real) }
        guard program.kind == .script else {
            guard FileAccess.isExecutable(real) else { throw .notExecutable(real) }
            return Found(program: program)
        }
        let says = FileAccess.head(real, count: 2).map { $0.elementsEqual("#!".utf8) } ?? false
        return Found(program: program, interpreter: says ? start.executable : nil, isPlain: !says)
    }
}
