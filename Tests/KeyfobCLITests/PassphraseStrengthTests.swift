import KeyfobSodium
import Testing

@testable import KeyfobCLI

@Suite("Passphrase strength")
struct PassphraseStrengthTests {
    private func isWeak(_ text: String) -> Bool {
        PassphraseStrength.isWeak(Array(text.utf8).withBytes { SecretBytes(copying: $0) })
    }

    @Test(
        "short, repeated and running ones are weak",
        arguments: [
            "a", "hunter2", "password", "Passw0rd!", "12345678901234567890", "abcdefghijklmnopqrstuvwxyz",
            String(repeating: "x", count: 200), "correct horse",
        ])
    func weak(text: String) { #expect(isWeak(text)) }

    @Test(
        "random characters and several words are not",
        arguments: [
            "q7RkZ2wNvB0e", "correct horse battery staple orbit", "dVx9!kQm#2Lt", "żółw pędzi przez gęstą mgłę",
        ])
    func strong(text: String) { #expect(!isWeak(text)) }
}
