package import KeyfobSodium

extension SecretBytes {
    /// Whether it can stand in a header, and on a terminal: no control characters.
    package var isHeaderValue: Bool {
        withBytes { text in (0..<text.byteCount).allSatisfy { text.byte(at: $0) >= 0x20 && text.byte(at: $0) != 0x7F } }
    }
}
