import KeyfobSodium
import Testing

@testable import KeyfobSync

@Suite("The line that ends with a secret")
struct SecretLineTests {
    @Test(
        "its length is known without writing it",
        arguments: [
            [], Array("token".utf8), Array("\"\\\n\u{1}ü".utf8), [0xFF], [0xFF, 0], [0xFF, 0, 1], [0xFF, 0, 1, 2],
            [UInt8](repeating: 0x22, count: 1_000),
        ])
    func count(secret: [UInt8]) {
        let start = Array(#"{"kind":"credential""#.utf8)
        let bytes = secret.withBytes { SecretBytes(copying: $0) }
        #expect(SecretLine.count(start, then: bytes) == SecretLine.line(start, then: bytes).count)
    }
}
