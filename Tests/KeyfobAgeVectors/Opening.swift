internal import KeyfobAge
internal import KeyfobSodium

/// What came of opening an age file.
struct Opening {
    /// What is to open it.
    enum Key: ~Copyable {
        case identities(AgeIdentityFile)
        case passphrase(SecretBytes)
    }

    /// All of it, or what came before the failure.
    private(set) var plaintext: [UInt8] = []
    /// Nil when it was opened.
    private(set) var failure: AgeError?

    /// Opens `file`; its first byte tells whether it is armored where `encoding` does not.
    init(of file: [UInt8], with key: consuming Key, encoding: Age.Encoding? = nil) {
        var plaintext: [UInt8] = []
        do throws(AgeError) {
            var decryptor: AgeDecryptor
            switch consume key {
            case .identities(let identities): decryptor = AgeDecryptor(identities: identities, encoding: encoding)
            case .passphrase(let passphrase): decryptor = AgeDecryptor(passphrase: passphrase, encoding: encoding)
            }
            try file.withBytes { (bytes) throws(AgeError) in
                try decryptor.update(bytes) { plaintext.append(contentsOf: $0) }
            }
            try decryptor.finish { plaintext.append(contentsOf: $0) }
        } catch {
            failure = error
        }
        self.plaintext = plaintext
    }
}
