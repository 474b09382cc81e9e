import Foundation
import Keyfob

/// Runs the steps for one number of accounts, Keyfob's and its peer's in turn.
struct StepRunner {
    let sample: SampleVault
    let accounts: Int
    let python: String
    let peers: String
    let keyfob: String?
    /// How often a fresh process is started.
    let rounds: Int
    /// How many tokens are looked up in one process.
    let lookups: Int

    func row() throws -> Comparison.Row {
        progress("making \(accounts) accounts")
        try peer("make_cache.py", sample.cache, String(accounts)).run()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.cache)
        let key = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
        try key.write(to: URL(filePath: sample.keyFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.keyFile)

        progress("filling, listing and looking up")
        let fill = try step("fill", sample.folder).measure()
        let list = try step("list", sample.folder).measure()
        // In turn, three times: the speed of a shared machine changes from minute to minute.
        var lookUps: [Measurements] = []
        var memories: [Measurements] = []
        for _ in 0..<3 {
            lookUps.append(
                try step("look-up", sample.folder, String(accounts), "--rounds", String(lookups)).measure())
            memories.append(try peer("memory.py", sample.cache, String(accounts), String(lookups)).measure())
        }
        progress("first accesses")
        let (first, peerFirst) = try firstAccesses()
        return Comparison.Row(
            accounts: accounts, credentials: Int(fill[.credentials]), fill: fill, list: list,
            lookUp: Measurements(mediansOf: lookUps), first: first, process: try processes(),
            peerMemory: Measurements(mediansOf: memories), peerFirst: peerFirst)
    }

    private func firstAccesses() throws -> (own: Measurements, peer: Measurements) {
        var own: [Measurements] = []
        var theirs: [Measurements] = []
        for _ in 0..<rounds {
            own.append(try step("first-access", sample.folder, String(accounts / 2)).measure())
            theirs.append(try peer("first_access.py", sample.cache, String(accounts / 2)).measure())
            let shortest = try peer("first_access.py", sample.cache, String(accounts / 2), "--shortest").measure()
            theirs.append(Measurements([.shortestAccessMilliseconds: shortest[.shortestAccessMilliseconds]]))
            let again = try peer("first_access.py", sample.cache, String(accounts / 2), "--again").measure()
            theirs.append(Measurements([.reopeningMilliseconds: again[.reopeningMilliseconds]]))
        }
        return (Measurements(mediansOf: own), Measurements(mediansOf: theirs))
    }

    /// The whole process of `keyfob token`.
    private func processes() throws -> Measurements? {
        guard let keyfob else { return nil }
        let request = SampleVault.request(accounts / 2)
        let command = ChildProcess(
            program: keyfob,
            arguments: ["token", "--account", request.account ?? "", "--scope", request.scopes.spaceSeparated],
            environment: [
                "KEYFOB_VAULT": sample.location.vault, "KEYFOB_KEY_FILE": sample.keyFile,
                "XDG_STATE_HOME": sample.folder,
            ])
        return Measurements(
            mediansOf: try (0..<rounds).map { _ in Measurements([.processMilliseconds: try command.run().milliseconds])
            })
    }

    private func step(_ arguments: String...) -> ChildProcess {
        ChildProcess(program: "/proc/self/exe", arguments: arguments)
    }

    private func peer(_ script: String, _ arguments: String...) -> ChildProcess {
        ChildProcess(program: python, arguments: [peers + "/" + script] + arguments)
    }

    private func progress(_ text: String) {
        FileHandle.standardError.write(Data("keyring-benchmark: \(accounts) accounts: \(text)\n".utf8))
    }
}
