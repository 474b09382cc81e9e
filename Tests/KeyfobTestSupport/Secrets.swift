package import KeyfobSodium

/// The UTF-8 of `text` as a secret.
package func secret(_ text: String) -> SecretBytes {
    secret([UInt8](text.utf8))
}

/// `bytes` as a secret.
package func secret(_ bytes: [UInt8]) -> SecretBytes {
    bytes.withBytes { SecretBytes(copying: $0) }
}

/// The bytes of `secret` in ordinary memory, to be compared.
package func contents(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { [UInt8]($0) }
}

/// The text that `secret` holds.
package func text(of secret: borrowing SecretBytes) -> String {
    String(decoding: contents(of: secret), as: UTF8.self)
}

/// The content of a key file, another one for each number.
package func keyFile(_ number: UInt8) -> SecretBytes {
    secret([UInt8](repeating: number, count: 32))
}
