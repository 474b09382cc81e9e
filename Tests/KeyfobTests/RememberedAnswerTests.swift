import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("The memory of an open keyring")
struct RememberedAnswerTests {
    @Test("an answer is remembered sealed: no token is there but while somebody holds it")
    func sealed() throws {
        let (home, hidden) = (try KeyringHome(), HiddenSecret())
        let ada = try Account.contoso("ada")
        let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])
        let token = SecretBytes(count: hidden.count, placement: .dedicated) { span in
            for index in 0..<hidden.count { span.storeBytes(of: hidden[index], toByteOffset: index, as: UInt8.self) }
        }
        _ = try home.keyring.tokens.store(.access(ada), secret: token, for: ada)
        #expect(try hidden.occurrences() == 1)
        _ = consume token
        for keyring in [home.keyring, try home.opened()] {
            for _ in 0..<3 {
                try expectHeld(keyring, request, hidden)
                #expect(try hidden.occurrences() == 0)
            }
        }
    }

    /// Expects an answer to be the token, and the only copy of it.
    private func expectHeld(_ keyring: Keyring, _ request: TokenRequest, _ hidden: HiddenSecret) throws {
        let answer = try keyring.tokens.stored(for: request)
        #expect(try hidden.occurrences() == 1)
        let isRight = answer.secret.withBytes { bytes in
            bytes.byteCount == hidden.count && (0..<hidden.count).allSatisfy { bytes.byte(at: $0) == hidden[$0] }
        }
        #expect(isRight)
    }
}
