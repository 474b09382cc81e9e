@unsafe @preconcurrency internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobTerminal

/// A program that is to run in the place of this one, as it was typed: names and arguments need not be text.
@safe
struct ProgramCall {
    /// The last words of the command line, and nil behind them.
    private let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    /// As people read it.
    let name: String

    /// The program that the last `count` words of the command line call, at least one.
    init(lastWords count: Int) {
        unsafe words = CommandLine.unsafeArgv + (Int(CommandLine.argc) - count)
        name = unsafe words.pointee.map { unsafe String(cString: $0) } ?? ""
    }

    /// Makes sure that there is such a program, before anything else is done for it.
    ///
    /// - Throws: `ReportedFailure` with the status that shells have for it.
    func requireRunnable() throws {
        switch place {
        case .found: return
        case .forbidden: throw Self.failure(.notRunnable, "\(name) is not a program that can be started")
        case .missing:
            throw Self.failure(
                .noProgram,
                name.contains("/")
                    ? "there is no file \(name)"
                    : "there is no program \(name) in PATH; a file is named by its path, as ./NAME")
        }
    }

    private enum Place { case found, forbidden, missing }

    /// Where the system will find it, as `execvp(3)` looks.
    private var place: Place {
        guard let first = unsafe words.pointee, unsafe first.pointee != 0 else { return .missing }
        let name = unsafe Array(UnsafeBufferPointer(start: first, count: strlen(first) + 1))
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        if name.contains(slash) { return Self.place(at: name) }
        let path = unsafe getenv("PATH").map { unsafe Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
        let folders = (path ?? "/bin:/usr/bin".utf8.map(CChar.init(bitPattern:)))
            .split(separator: CChar(bitPattern: UInt8(ascii: ":")), omittingEmptySubsequences: false)
        var best = Place.missing
        for folder in folders {
            switch Self.place(at: folder.isEmpty ? name : folder + [slash] + name) {
            case .found: return .found
            case .forbidden: best = .forbidden
            case .missing: continue
            }
        }
        return best
    }

    private static func place(at path: [CChar]) -> Place {
        guard let status = FileAccess.status(path, following: true) else {
            return errno == EACCES ? .forbidden : .missing
        }
        return unsafe !status.isDirectory && access(path, X_OK) == 0 ? .found : .forbidden
    }

    private static func failure(_ status: ExitStatus, _ message: String) -> ReportedFailure {
        StandardError.write(line: "keyfob: \(message)")
        return ReportedFailure(status: status)
    }

    /// Keeps descriptors from the program, which could read again what a file of theirs holds.
    static func close(_ descriptors: [CInt]) {
        let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        for descriptor in descriptors {
            if descriptor > 2 { Glibc.close(descriptor) } else { dup2(nothing, descriptor) }
        }
    }

    /// Becomes the program.
    ///
    /// - Parameters:
    ///   - variables: What its environment has besides this one's, or in the place of it.
    ///   - names: What it has not.
    func become(with variables: Variables, without names: [String] = []) -> Never {
        for name in names { unsafe unsetenv(name) }
        for index in variables.names.indices {
            // Of a name that stands there twice, both.
            unsafe unsetenv(variables.names[index])
            unsafe setenv(variables.names[index], variables.values[index], 1)
        }
        if let first = unsafe words.pointee { _ = unsafe execvp(first, words) }
        let number = errno
        StandardError.write(line: "keyfob: \(name) cannot be started: \(unsafe String(cString: strerror(number)))")
        _exit((number == ENOENT ? ExitStatus.noProgram : .notRunnable).rawValue)
    }

    /// Variables for a program, in ordinary memory, where its environment is too.
    @safe
    struct Variables {
        fileprivate private(set) var names: [String] = []
        fileprivate private(set) var values: [UnsafeMutablePointer<CChar>] = unsafe []

        /// Adds a variable.
        mutating func set(_ name: String, _ value: RawSpan) {
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: value.byteCount + 1)
            unsafe value.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(start: text, count: value.byteCount).copyMemory(from: $0)
            }
            unsafe text[value.byteCount] = 0
            names.append(name)
            unsafe values.append(text)
        }

        /// Overwrites the values, once another process has them.
        func wipe() {
            for index in names.indices { unsafe explicit_bzero(values[index], strlen(values[index])) }
        }
    }
}
