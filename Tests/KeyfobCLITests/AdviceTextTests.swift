import Keyfob
import Testing

@testable import KeyfobCLI

@Suite("Advice")
struct AdviceTextTests {
    @Test(
        "has a name for documents, which does not change with its values",
        arguments: [
            (Advice.listGroups, "listGroups"), (.wait(seconds: 1), "wait"),
            (.acceptRollback(first: true), "acceptRollback"),
            (.mendService(.noBus, .records), "mendService"),
            (.useGroupOfProvider(.default, otherwise: .default), "useGroupOfProvider"),
        ])
    func codes(advice: Advice, code: String) {
        #expect(advice.code == code)
    }

    @Test("an option that nobody has given is not named")
    func noInput() {
        #expect(!Advice.allowPrompt.text.contains("--no-input"))
    }

    @Test("words of the command's own have no name")
    func words() {
        let error = KeyringError(.usage, "a", hint: "b")
        #expect(error.hint == "b" && error.advice?.code == nil)
    }

    @Test("a command that is advised can be typed")
    func quoting() throws {
        let ada = try #require(AccountID(homeAccountID: "it's ada", environment: "login.example"))
        #expect(
            Advice.signIn(ada, ["mail.read", "a b"]).text
                == #"run 'keyfob login --account 'it'\''s ada@login.example' --scope mail.read --scope 'a b''"#)
        #expect(Advice.allow(path: "/a b").text == "review it and run 'keyfob allow '/a b''")
    }
}
