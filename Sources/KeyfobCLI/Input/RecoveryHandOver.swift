internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal

/// Where a new recovery key goes before the vault that it opens counts: a file, or standard output, this once.
final class RecoveryHandOver {
    private let path: String?
    private var file: OutputFile?
    private let global: GlobalOptions
    /// Whether it is there.
    private(set) var isDone = false
    /// The key for a document; nil where it is in a file, or on the screen.
    private(set) var keyForDocument: String?

    /// Makes sure of the place.
    ///
    /// - Parameters:
    ///   - hint: What to do where the file is there already.
    ///   - replaceable: Whether a file that is there holds nothing that anybody needs.
    init(
        _ path: String?, _ global: GlobalOptions, hint: String, replacing replaceable: (String) -> Bool = { _ in false }
    ) throws(KeyringError) {
        (self.path, self.global) = (path, global)
        guard let path else {
            try StandardOutput.requireWritable()
            return
        }
        file = try OutputFile(path, replacing: replaceable(path), hint: hint)
    }

    /// Hands the key over.
    ///
    /// - Parameter isNew: Whether the vault is new too.
    func take(_ key: borrowing SecretBytes, isNew: Bool) throws(KeyringError) {
        do throws(KeyringError) {
            if let file = file.take() {
                // As age-keygen writes it: by that, whoever finds the file sees which slot it opens.
                try file.complete(after: "# public key: \(IdentityText.recipient(of: key))\n", with: key)
            } else if global.json {
                keyForDocument = key.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
            } else {
                let name = isNew ? "Recovery key" : "New recovery key"
                global.say("\(name), shown this once; keep it where the vault is not:")
                try StandardOutput.write(line: key)
            }
        } catch {
            let error = error.asNotDone
            guard isNew else { throw error }
            throw KeyringError(
                error.code,
                "no vault was made, because its recovery key could not be \(path == nil ? "shown" : "written"): "
                    + error.message, hint: error.hint)
        }
        isDone = true
    }

    /// Says in which file the key is, where it is in one; `name` is "the recovery key".
    func tellPlace(of name: String) {
        if let path { global.say("wrote \(name) to \(path); move it to where the vault is not") }
    }

    /// What the vault's failing to be made means for a key that was handed over.
    func failing(_ error: KeyringError, at location: KeyringLocation) -> KeyringError {
        guard isDone else { return error }
        do throws(KeyringError) {
            _ = try LockedKeyring(at: location)
        } catch  where error.code == .noVault {
            if let path { OutputFile.remove(path) }
            let note = path == nil ? "; the recovery key that was shown opens nothing" : ""
            return KeyringError(error.code, failed(error) + note, hint: error.hint)
        } catch {}
        return error
    }

    private func failed(_ error: KeyringError) -> String { "no vault was made: \(error.message)" }
}
