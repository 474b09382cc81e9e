import KeyfobSecretService
import Testing

@testable import Keyfob

@Suite("What is said of a Secret Service that fails")
struct SecretServiceErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let error: SecretServiceError
        let code: KeyringError.Code
        var testDescription: String { "\(error)" }
    }

    static let cases = [
        Case(error: .noLibrary, code: .unavailable), Case(error: .noBus, code: .unavailable),
        Case(error: .noService, code: .unavailable), Case(error: .timedOut, code: .unavailable),
        Case(error: .refused("org.example.No"), code: .unavailable), Case(error: .locked, code: .locked),
        Case(error: .needsPrompt, code: .locked), Case(error: .noCollection, code: .locked),
        Case(error: .noItem, code: .locked), Case(error: .promptDismissed, code: .cancelled),
        Case(error: .damaged, code: .damaged), Case(error: .tooLarge(limit: 5), code: .limitExceeded),
    ]

    @Test("each has its code, and a line of its own that names the service", arguments: cases)
    func codes(_ expected: Case) {
        let error = KeyringError(expected.error)
        #expect(error.code == expected.code)
        #expect(error.message.contains("Secret Service") && !error.description.contains("\n"))
        let same = Self.cases.filter { KeyringError($0.error).message == error.message }
        #expect(same.count == 1)
    }

    @Test("an error without a name for it in the specification is told by its name")
    func refused() {
        #expect(KeyringError(SecretServiceError.refused("org.example.No")).message.contains("org.example.No"))
    }

    @Test("what keeps a vault shut says what to do, unless the person has just said no", arguments: cases)
    func hints(_ expected: Case) {
        guard [.unavailable, .locked].contains(expected.code) else { return }
        #expect(KeyringError(expected.error).advice != nil)
    }
}
