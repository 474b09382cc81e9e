internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal
internal import Synchronization

/// Where identities come from: a file or a pipe that others cannot read; one that is encrypted is opened first.
enum IdentityInput {
    /// The text that was read last: what comes through a pipe can be read once, and a passphrase is asked for once.
    private struct Taken: ~Copyable {
        var path: String?
        var text: SecretBytes
    }
    private static let taken = Mutex(Taken(path: nil, text: SecretBytes(count: 0) { _ in }))

    /// The text of the identity file at `path`; what of it cannot be used is told.
    ///
    /// - Throws: `locked` where it is encrypted and there is nobody to ask, `damaged` where nothing in it can be used, and
    ///   what reading and opening can throw.
    static func read(_ path: String, _ global: GlobalOptions) throws(KeyringError) -> SecretBytes {
        let kept = taken.withLock { $0.path == path ? $0.text.withBytes { SecretBytes(copying: $0) } : nil }
        if let kept { return kept }
        var text = try SecretInput.keyFile(path)
        if IdentityText.isEncrypted(text) { text = try decrypted(text, path, global) }
        do throws(KeyringError) {
            for line in try IdentityText.unusable(in: text) {
                StandardError.write(line: "keyfob: warning: \(path): \(line): Keyfob cannot use it")
            }
        } catch  where error.code == .damaged {
            throw KeyringError(
                .damaged, "\(path): \(error.message)",
                hint: "name the file with the recovery key, or with an age identity")
        }
        text.withBytes { bytes in taken.withLock { $0 = Taken(path: path, text: SecretBytes(copying: bytes)) } }
        return text
    }

    private static func decrypted(
        _ text: borrowing SecretBytes, _ path: String, _ global: GlobalOptions
    ) throws(KeyringError) -> SecretBytes {
        guard !global.noInput, let terminal = Terminal() else {
            throw KeyringError(
                .locked, "\(path) is encrypted with a passphrase and there is nobody to ask",
                hint: "run it in a terminal, or give what 'age -d \(ShellWord.inMessage(path))' prints in its place")
        }
        let passphrase = try terminal.askSecret("Passphrase of \(path): ")
        return try IdentityText.decrypted(text, passphrase: passphrase)
    }
}
