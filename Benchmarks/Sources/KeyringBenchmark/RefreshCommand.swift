import ArgumentParser
import Foundation
import Keyfob

/// Measures silent refreshes at a provider on this machine, beside MSAL for Python.
struct RefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Silent refreshes, beside MSAL for Python at the same provider.",
        usage: "keyring-benchmark refresh --python FILE --peers DIR [--quick] [--json]")

    @Option(help: "A python3 with msal and msal-extensions.") var python: String
    @Option(help: "The folder with the Python scripts.") var peers: String
    @Flag(help: "Fewer rounds.") var quick = false
    @Flag(help: "Print a JSON document.") var json = false

    func run() throws {
        let report = RefreshReport(rows: try [1, 1_000].map(row))
        print(json ? try report.json() : report.text, terminator: "")
    }

    private func row(accounts: Int) throws -> RefreshReport.Row {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let sample = SampleVault(folder: folder.path)
        progress(accounts, "making them")
        try peer("make_refresh_cache.py", sample.cache, String(accounts)).run()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.cache)
        let key = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
        try key.write(to: URL(filePath: sample.keyFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.keyFile)
        let filled = try step("refresh-fill", sample.folder).measure()
        guard filled[.accounts] == Double(accounts) else { throw ValidationError("the vault is not full") }

        // In turn, three times: the speed of a shared machine changes from minute to minute.
        var (own, theirs): ([Measurements], [Measurements]) = ([], [])
        for turn in 1...3 {
            progress(accounts, "refreshing, turn \(turn) of 3")
            own.append(
                try step(
                    "silent-refresh", sample.folder, String(accounts), "--python", python, "--peers", peers,
                    "--rounds", quick ? "20" : "60", "--gatherings", quick ? "1" : "5"
                ).measure())
            theirs.append(try peer("refresh.py", sample.cache, String(accounts), quick ? "20" : "60").measure())
        }
        // It waits for its lock for seconds, so it is asked less often.
        progress(accounts, "30 at once, which takes MSAL minutes")
        let gatherings = quick ? "1" : "3"
        return RefreshReport.Row(
            accounts: accounts, own: Measurements(mediansOf: own), peer: Measurements(mediansOf: theirs),
            shared: try peer("refresh.py", sample.cache, String(accounts), gatherings, "--caches", "1").measure(),
            apart: try peer("refresh.py", sample.cache, String(accounts), gatherings, "--caches", "5").measure())
    }

    private func step(_ arguments: String...) -> ChildProcess {
        ChildProcess(program: "/proc/self/exe", arguments: arguments)
    }

    private func peer(_ script: String, _ arguments: String...) -> ChildProcess {
        ChildProcess(program: python, arguments: [peers + "/" + script] + arguments)
    }

    private func progress(_ accounts: Int, _ text: String) {
        FileHandle.standardError.write(Data("keyring-benchmark: \(accounts) accounts: \(text)\n".utf8))
    }
}
