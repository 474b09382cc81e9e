import KeyfobAge
import KeyfobSodium

/// What became of a file: the bytes that were lent, and how it ended.
struct Opening: Equatable {
    var plaintext: [UInt8] = []
    /// `nil` where the file was accepted.
    var error: AgeError?

    var vectorClass: String { error?.vectorClass ?? "success" }

    /// Feeds `file` to `decryptor` in pieces of `size` bytes, all at once where there is none.
    init(_ file: [UInt8], _ decryptor: consuming AgeDecryptor, pieces size: Int? = nil) {
        do throws(AgeError) {
            let size = size ?? max(file.count, 1)
            for start in stride(from: 0, to: file.count, by: size) {
                try file.withBytes { bytes throws(AgeError) in
                    try decryptor.update(bytes.extracting(start..<min(start + size, file.count))) {
                        plaintext.append(contentsOf: $0)
                    }
                }
            }
            try decryptor.finish { plaintext.append(contentsOf: $0) }
        } catch {
            self.error = error
        }
    }

    init(
        _ file: [UInt8], with identity: borrowing AgeIdentity, encoding: Age.Encoding? = nil, pieces size: Int? = nil
    ) {
        self.init(file, AgeDecryptor(identity: identity, encoding: encoding), pieces: size)
    }

    init(_ file: [UInt8], passphrase: String) {
        self.init(file, AgeDecryptor(passphrase: secret(passphrase)))
    }
}

/// The UTF-8 of `text` as a secret.
func secret(_ text: String) -> SecretBytes {
    [UInt8](text.utf8).withBytes { SecretBytes(copying: $0) }
}

/// The file that `encryptor` writes for `plaintext` when fed pieces of `size` bytes.
func written(_ plaintext: [UInt8], _ encryptor: consuming AgeEncryptor, pieces size: Int? = nil) -> [UInt8] {
    var file: [UInt8] = []
    let size = size ?? max(plaintext.count, 1)
    for start in stride(from: 0, to: plaintext.count, by: size) {
        file += plaintext.withBytes { encryptor.update($0.extracting(start..<min(start + size, plaintext.count))) }
    }
    return file + encryptor.finish()
}

/// Bytes that do not repeat soon, the same each time.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}
