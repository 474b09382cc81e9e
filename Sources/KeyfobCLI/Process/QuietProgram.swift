internal import Glibc
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobSodium

/// A program that is asked what it would do, as another program asks it: it asks nobody anything, and what it says of errors is
/// not shown.
enum QuietProgram {
    /// For how many seconds it is waited for.
    private static let patience = 60

    /// How it ended, and what it printed.
    struct Output: ~Copyable {
        let end: ChildProgram.End
        let bytes: SecretBytes
    }

    /// Runs it, with a text to read; nil where it cannot be started.
    static func output(
        of words: [String], reading input: String, _ environment: Environment, _ changes: [String: String] = [:]
    ) -> Output? {
        guard let asked = ChildProgram.file(holding: Array(input.utf8)) else { return nil }
        defer { close(asked) }
        guard let told = ChildProgram.file(holding: []) else { return nil }
        defer { close(told) }
        let program = ChildProgram(
            path: "/usr/bin/env", arguments: ["timeout", "--kill-after=2", "\(patience)"] + words,
            environment: environment.variables.merging(changes) { $1 }, input: asked, output: told)
        guard let end = program.run() else { return nil }
        lseek(told, 0, SEEK_SET)
        guard let bytes = try? SecretBytes.reading(descriptor: told, limit: GitCredentialRequest.maximumCount) else {
            return nil
        }
        return Output(end: end, bytes: bytes)
    }
}
