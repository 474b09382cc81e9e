import ArgumentParser
import Foundation
import Keyfob

/// Measures bundles: writing and restoring them, beside the age program on the same bytes.
struct BundlesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundles", abstract: "Export and restore, beside age on the same bytes.")

    @Option(name: .customLong("age"), help: "The age program.") var ageProgram = "/usr/bin/age"
    @Option(help: "The age-keygen program.") var ageKeygen = "/usr/bin/age-keygen"
    @Flag(help: "Without 100,000 accounts.") var quick = false
    @Flag(help: "Print a JSON document.") var json = false

    func run() throws {
        let rows = try (quick ? [1_000, 10_000] : [1_000, 10_000, 100_000]).map(row)
        let report = BundleReport(rows: rows)
        print(json ? try report.json() : report.text, terminator: "")
    }

    private func row(accounts: Int) throws -> BundleReport.Row {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let sample = BundleSample(folder: folder.path)
        let key = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
        try key.write(to: URL(filePath: sample.vault.keyFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.vault.keyFile)
        FileHandle.standardError.write(Data("keyring-benchmark: \(accounts) accounts: bundles\n".utf8))
        let filled = try step("bundle-fill", folder.path, String(accounts)).measure()
        guard filled[.accounts] == Double(accounts) else { throw ValidationError("the vault is not full") }

        let (output, _) = try ChildProcess(program: ageKeygen, arguments: ["-y", sample.identity]).run()
        let recipient = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let plain = folder.path + "/plain"
        // In turn, three times: the speed of a shared machine changes from minute to minute.
        var exports: [Measurements] = []
        var restores: [Measurements] = []
        for _ in 0..<3 {
            exports.append(try step("bundle-export", folder.path, recipient).measure())
            let decryption = ChildProcess(
                program: ageProgram, arguments: ["-d", "-i", sample.identity, "-o", plain, sample.bundle])
            let decrypting = try decryption.run().milliseconds / 1_000
            let encryption = ChildProcess(
                program: ageProgram, arguments: ["-r", recipient, "-o", folder.path + "/again.age", plain])
            exports.append(Measurements([.ageEncryptSeconds: try encryption.run().milliseconds / 1_000]))
            restores.append(Measurements([.ageDecryptSeconds: decrypting]))
            try? FileManager.default.removeItem(atPath: sample.elsewhere.vault)
            try? FileManager.default.removeItem(atPath: folder.path + "/backup.age")
            let restored = try step("bundle-restore", folder.path).measure()
            guard restored[.accounts] == Double(accounts) else { throw ValidationError("not all came back") }
            restores.append(restored)
            try? FileManager.default.removeItem(atPath: plain)
            try? FileManager.default.removeItem(atPath: folder.path + "/again.age")
        }
        let size = try FileManager.default.attributesOfItem(atPath: sample.bundle)[.size] as? Int ?? 0
        return BundleReport.Row(
            accounts: accounts, mebibytes: Double(size) / 1_048_576, export: Measurements(mediansOf: exports),
            restore: Measurements(mediansOf: restores))
    }

    private func step(_ arguments: String...) -> ChildProcess {
        ChildProcess(program: "/proc/self/exe", arguments: arguments)
    }
}
