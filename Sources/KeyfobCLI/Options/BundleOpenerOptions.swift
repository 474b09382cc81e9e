internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

/// What opens a bundle that is read.
struct BundleOpenerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Open the bundle with an age identity, such as the recovery key, in this file or pipe.", valueName: "file"))
    var bundleIdentity: String?

    @Option(name: .long, help: ArgumentHelp("Open the bundle with the passphrase on this descriptor.", valueName: "n"))
    var bundlePassphraseFd: Int32?

    /// Whether any of the options was given.
    var isGiven: Bool { bundleIdentity != nil || bundlePassphraseFd != nil }

    func validate() throws {
        if bundleIdentity != nil, bundlePassphraseFd != nil {
            throw ValidationError("--bundle-identity and --bundle-passphrase-fd exclude one another")
        }
        if let bundlePassphraseFd, bundlePassphraseFd < 0 {
            throw ValidationError("--bundle-passphrase-fd is the number of an open descriptor")
        }
    }

    /// What opens `file`: what the options say, or a passphrase that is asked for where one opens it.
    ///
    /// - Throws: `locked` where nothing was given and there is nobody to ask.
    func opener(for file: borrowing BundleFile, _ global: GlobalOptions) throws(KeyringError) -> BundleOpener {
        let name = file.name
        guard BundleFile.isBundle(try file.start()) else {
            throw KeyringError(
                .damaged, "\(name) is not an age file, as backups and exports are",
                hint: "'keyfob backup --list' names backups")
        }
        if let bundlePassphraseFd {
            guard file.needsPassphrase else {
                throw KeyringError(
                    .wrongKey, "\(name) is not encrypted with a passphrase", hint: "open it with --bundle-identity")
            }
            return .passphrase(try SecretInput.passphrase(descriptor: bundlePassphraseFd))
        }
        if let bundleIdentity {
            guard !file.needsPassphrase else {
                throw KeyringError(
                    .wrongKey, "\(name) is for a passphrase, not for an identity",
                    hint: "open it with --bundle-passphrase-fd")
            }
            return .identities(try IdentityInput.read(bundleIdentity, global))
        }
        guard file.needsPassphrase else {
            throw KeyringError(
                .locked, "\(name) is encrypted for an age identity",
                hint: "say which file holds it with --bundle-identity; for a backup, the recovery key")
        }
        guard !global.noInput, let terminal = Terminal() else {
            throw KeyringError(
                .locked, "\(name) needs a passphrase and there is nobody to ask",
                hint: "give it with --bundle-passphrase-fd")
        }
        return .passphrase(try terminal.askSecret("Passphrase of \(name): "))
    }
}
