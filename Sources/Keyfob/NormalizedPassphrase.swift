internal import KeyfobModel
internal import KeyfobSodium

extension SecretBytes {
    /// The passphrase in Unicode's form NFC, so that it does not matter how a keyboard composes it.
    ///
    /// What is not UTF-8 is taken as it is.
    borrowing func normalizedPassphrase() -> SecretBytes {
        withBytes { bytes in
            let isASCII = (0..<bytes.byteCount).allSatisfy { bytes.byte(at: $0) < 0x80 }
            guard !isASCII, let text = String(validating: [UInt8](bytes), as: UTF8.self) else {
                return SecretBytes(copying: bytes)
            }
            return Array(Identifier.composedText(text).utf8).withBytes { SecretBytes(copying: $0) }
        }
    }
}
