import KeyfobInterop
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Tokens for mail servers")
struct SASLTokenTests {
    private func message(_ mechanism: SASLToken, _ user: String, _ token: String) -> String? {
        guard let line = mechanism.line(user: user, secret(token)) else { return nil }
        return Base64.standard.decode(contents(of: line)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("each mechanism has its form")
    func forms() {
        #expect(
            message(.xoauth2, "ada@mail.example", "TOKEN") == "user=ada@mail.example\u{1}auth=Bearer TOKEN\u{1}\u{1}")
        #expect(
            message(.oauthbearer, "ada@mail.example", "TOKEN")
                == "n,a=ada@mail.example,\u{1}auth=Bearer TOKEN\u{1}\u{1}")
        // As in Google's documentation.
        let known =
            "dXNlcj1zb21ldXNlckBleGFtcGxlLmNvbQFhdXRoPUJlYXJlciB5YTI5LnZGOWRmdDRxbVRjMk52YjNSbGNrQmhkSFJoZG1semRHRXVZMjl0Q2cBAQ=="
        guard
            let line = SASLToken.xoauth2.line(
                user: "someuser@example.com", secret("ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg"))
        else {
            Issue.record("no line")
            return
        }
        let written = text(of: line)
        #expect(written == known)
    }

    @Test("a name of several parts stays one, and one that would end a field is refused")
    func names() {
        #expect(message(.oauthbearer, "a=b,c", "T") == "n,a=a=3Db=2Cc,\u{1}auth=Bearer T\u{1}\u{1}")
        for user in ["", "ada\u{1}auth=Bearer x", "a\nb"] {
            for mechanism in SASLToken.allCases { #expect(message(mechanism, user, "T") == nil) }
        }
        #expect(message(.xoauth2, "ada", "a\u{1}b") == nil)
    }
}
