import ArgumentParser
import Foundation
import Glibc
import Keyfob

/// A folder with a vault, its recovery key, and a bundle of it.
struct BundleSample {
    let folder: String

    var identity: String { folder + "/recovery.txt" }
    var bundle: String { folder + "/bundle.age" }
    var vault: SampleVault { SampleVault(folder: folder) }
    var elsewhere: KeyringLocation { KeyringLocation(vault: folder + "/restored", state: folder + "/restored-state") }

    /// A cache of so many accounts with one refresh token each.
    static func cache(accounts: Int) -> String {
        var account: [String] = []
        var token: [String] = []
        for number in 0..<accounts {
            let id = "person\(number).tenant"
            account.append(
                """
                "a\(number)":{"home_account_id":"\(id)","environment":"login.microsoftonline.com","realm":"tenant",\
                "local_account_id":"person\(number)","username":"person\(number)@contoso.example",\
                "authority_type":"MSSTS"}
                """)
            token.append(
                """
                "r\(number)":{"credential_type":"RefreshToken","home_account_id":"\(id)",\
                "environment":"login.microsoftonline.com","client_id":"tool",\
                "secret":"\(String(repeating: "0123456789abcdef", count: 60))\(number)"}
                """)
        }
        return #"{"Account":{\#(account.joined(separator: ","))},"RefreshToken":{\#(token.joined(separator: ","))}}"#
    }
}

/// Makes a vault of accounts with one refresh token each.
struct BundleFillStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bundle-fill", shouldDisplay: false)

    @Argument var folder: String
    @Argument var accounts: Int

    func run() throws {
        let sample = BundleSample(folder: folder)
        let created = try Keyring.create(at: sample.vault.location, slot: .keyFile(try sample.vault.key()))
        let text = created.recoveryKey.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe Data($0) }
        }
        try text.write(to: URL(filePath: sample.identity))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.identity)
        let cache = Array(BundleSample.cache(accounts: accounts).utf8)
        _ = try created.keyring.importMSALCache(unsafe SecretBytes(copying: cache.span.bytes))
        try Measurements([.accounts: Double(try created.keyring.accounts().count)]).write()
    }
}

/// Writes a bundle to a file.
struct BundleExportStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bundle-export", shouldDisplay: false)

    @Argument var folder: String
    @Argument var recipient: String

    func run() throws {
        let sample = BundleSample(folder: folder)
        let keyring = try sample.vault.open()
        _ = FileManager.default.createFile(atPath: sample.bundle, contents: nil)
        guard let file = FileHandle(forWritingAtPath: sample.bundle) else { throw ValidationError("no bundle") }
        let stopwatch = Stopwatch()
        _ = try keyring.exportBundle(for: .recipients([recipient])) { bytes in
            try unsafe bytes.withUnsafeBytes { unsafe try file.write(contentsOf: Data($0)) }
        }
        try file.synchronize()
        let seconds = stopwatch.seconds
        try Measurements([.exportSeconds: seconds, .peakMemory: PeakMemory.mebibytes()]).write()
    }
}

/// Makes a new vault of a backup.
struct BundleRestoreStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bundle-restore", shouldDisplay: false)

    @Argument var folder: String

    func run() throws {
        let sample = BundleSample(folder: folder)
        let opener = BundleOpener.identities(try SampleVault.secret(sample.identity))
        let keyring = try sample.vault.open()
        let backup = try keyring.backup(to: folder + "/backup.age").path
        let stopwatch = Stopwatch()
        let restored = try Keyring.restore(
            BundleFile(path: backup), with: opener, at: sample.elsewhere, slot: .keyFile(try sample.vault.key()))
        let seconds = stopwatch.seconds
        try Measurements([
            .restoreSeconds: seconds, .accounts: Double(try restored.keyring.accounts().count),
            .peakMemory: PeakMemory.mebibytes(),
        ]).write()
    }
}
