import Foundation
import KeyfobTestSupport
import Testing

/// A person's home for one test: a folder with a home, XDG folders and `keyfob` in the path, without a terminal.
///
/// Commands are lines for `/bin/sh`, run in ``path`` as `keyfob token --account ada`.
final class Workplace: Sendable {
    /// The folder: also where commands run.
    let path: String
    private let folder: ScratchFolder
    /// The environment of commands.
    let environment: [String: String]

    /// The folder of the vault, `$XDG_DATA_HOME/keyfob`.
    var vault: String { path + "/data/keyfob" }

    /// An empty home.
    ///
    /// - Parameters:
    ///   - keyFile: What `KEYFOB_KEY_FILE` names from every directory, below ``path``.
    ///   - given: The folder; nil for a new one.
    init(_ variables: [String: String] = [:], keyFile: String? = nil, in given: ScratchFolder? = nil) throws {
        folder = try given ?? ScratchFolder()
        path = URL(filePath: folder.path).resolvingSymlinksInPath().path
        let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        var own = [
            "PATH": path + "/bin:" + inherited + ":/usr/sbin:/sbin", "HOME": path, "XDG_DATA_HOME": path + "/data",
            "XDG_STATE_HOME": path + "/state", "XDG_RUNTIME_DIR": path + "/run", "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "PYTHON": PythonScript.interpreter, "KEYFOB_PAGER": "",
        ]
        if let keyFile { own["KEYFOB_KEY_FILE"] = path + "/" + keyFile }
        environment = own.merging(variables) { $1 }
        let files = FileManager.default
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for name in ["bin", "io", "run"] {
            try files.createDirectory(
                at: URL(filePath: path).appending(path: name), withIntermediateDirectories: true, attributes: mode)
        }
        try files.createSymbolicLink(atPath: path + "/bin/keyfob", withDestinationPath: KeyfobBinary.path)
    }

    /// A home with a vault that the key file `key` opens, named by `KEYFOB_KEY_FILE`; `recovery` is its recovery key.
    static func withVault(_ variables: [String: String] = [:]) throws -> Workplace {
        let place = try Workplace(variables, keyFile: "key")
        try place.makeKey("key")
        try place.run("keyfob init --quiet --recovery-file recovery").expectSuccess()
        return place
    }

    /// Runs a line of the shell to its end, or to a deadline in seconds.
    func run(_ line: String, input: Data = Data(), deadline: Int = 120) throws -> Outcome {
        let prefix = path + "/io/" + UUID().uuidString
        let (inputPath, outputPath, errorPath) = (prefix + ".in", prefix + ".out", prefix + ".err")
        let inputFile = input.isEmpty ? "/dev/null" : inputPath
        if !input.isEmpty { try input.write(to: URL(filePath: inputPath)) }
        for file in [outputPath, errorPath] { try Data().write(to: URL(filePath: file)) }
        defer { for file in [inputPath, outputPath, errorPath] { try? FileManager.default.removeItem(atPath: file) } }

        let process = Process()
        // A session of its own: without a terminal nothing is asked. SIGPIPE is what shells have, which NIO ignores here.
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.arguments = [
            "--wait", "env", "--default-signal=PIPE", "timeout", "--kill-after=5", "\(deadline)", "/bin/sh", "-c", line,
        ]
        process.environment = environment
        process.currentDirectoryURL = URL(filePath: path)
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: inputFile))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: outputPath))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errorPath))
        try process.run()
        process.waitUntilExit()
        return Outcome(
            line: line, status: process.terminationStatus, output: try Data(contentsOf: URL(filePath: outputPath)),
            errors: String(decoding: try Data(contentsOf: URL(filePath: errorPath)), as: UTF8.self))
    }

    /// Stands before a program that goes on beside other lines: it has none of the descriptors that Foundation's processes
    /// have from each other, for which their ends would wait.
    static let alone = """
        exec bash -c 'for file in /proc/self/fd/*; do n=${file##*/}; test $n -gt 2 && eval "exec $n>&-"; done; exec "$0" "$@"'
        """

    /// Runs a line with text as standard input.
    func run(_ line: String, text: String) throws -> Outcome {
        try run(line, input: Data(text.utf8))
    }
}

/// What a line of the shell did.
struct Outcome: CustomStringConvertible {
    let line: String
    let status: Int32
    let output: Data
    /// What came on standard error.
    let errors: String

    /// What came on standard output.
    var text: String { String(decoding: output, as: UTF8.self) }

    var description: String { "$ \(line)\n\(text)\(errors)[\(status)]" }

    /// Expects status 0.
    @discardableResult
    func expectSuccess(_ location: SourceLocation = #_sourceLocation) -> Outcome {
        #expect(status == 0, "\(self)", sourceLocation: location)
        return self
    }

    /// Expects an error: the status, one line `keyfob: …` on standard error that holds `words`, and no data.
    @discardableResult
    func expectError(_ status: Int32, _ words: String..., location: SourceLocation = #_sourceLocation) -> Outcome {
        #expect(self.status == status, "\(self)", sourceLocation: location)
        let lines = errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.count == 2 && lines.last == "" && errors.hasPrefix("keyfob: "), "one line: \(self)",
            sourceLocation: location)
        for word in words { #expect(errors.contains(word), "\(self)", sourceLocation: location) }
        #expect(output.isEmpty, "\(self)", sourceLocation: location)
        return self
    }
}
