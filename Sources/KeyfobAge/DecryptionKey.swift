internal import KeyfobSodium

/// What a file is to be opened with.
enum DecryptionKey: ~Copyable {
    case identities(AgeIdentityFile)
    case passphrase(SecretBytes)
    /// The file's own key, which one of the others gave when the file was read before.
    case fileKey(SecretBytes)

    /// The file key in `header`, after the header is authenticated with it.
    ///
    /// - Throws: `noMatch`, `headerMACMismatch`, `workFactorTooHigh`, `outOfMemory`, `malformedHeader`.
    func unwrap(_ header: AgeHeader) throws(AgeError) -> SecretBytes {
        guard let fileKey = try candidate(in: header) else { throw .noMatch }
        guard header.isAuthentic(under: fileKey) else { throw .headerMACMismatch }
        return fileKey
    }

    private func candidate(in header: AgeHeader) throws(AgeError) -> SecretBytes? {
        switch self {
        case .identities(let identities):
            guard case .recipients(let stanzas) = header.lock else { return nil }
            return try identities.unwrap(stanzas)
        case .passphrase(let passphrase):
            guard case .passphrase(let stanza) = header.lock else { return nil }
            return try stanza.unwrap(passphrase: passphrase)
        case .fileKey(let key): return key.withBytes { SecretBytes(copying: $0) }
        }
    }
}
