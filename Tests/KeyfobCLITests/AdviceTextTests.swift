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

    @Test("a name and a group that are advised can be typed")
    func names() throws {
        let group = try AccessGroup("my work")
        #expect(
            Advice.chooseAccount(such: "Ada L", group: group).text
                == #"say which, for example --account "Ada L" --group "my work""#)
        #expect(Advice.useAccountID(such: "ada@x", group: nil).text == "name one of them, for example ada@x")
    }

    @Test("to ask why is to ask for the same: host, scopes, tool and groups")
    func questions() throws {
        var request = TokenRequest(
            account: "Ada L", environment: "login.example", realm: "t", clientID: "c", scopes: ScopeSet(["a", "b c"]),
            context: RequestContext(url: try ResourceURL(parsing: "https://git.example:8443/x"), tool: "caller"))
        func text() -> String { Advice.explainSelection(SelectionQuestion(request)).text }
        #expect(
            text() == "'keyfob which --account \"Ada L\" --authority login.example --tenant t --client c --url "
                + "https://git.example:8443/x --scope a --scope \"b c\"' says why")
        (request.namedTool, request.isUsual) = ("gh", true)
        #expect(!text().contains("--account") && text().contains(" --tool gh "))
    }

    @Test("a list has three names, and how many there are besides", arguments: [1, 3, 4, 10_000])
    func lists(count: Int) {
        let names = (0..<count).map { "\($0)" }
        let error = KeyringError(.ambiguous, "several", candidates: names)
        #expect(error.candidates.count == count)
        let rest = count > 3 ? " and \(count - 3) more" : ""
        #expect(error.candidateText == " (\(names.prefix(3).joined(separator: ", "))\(rest))")
        #expect(Quantity.list(names) == names.prefix(3).joined(separator: ", ") + rest)
    }

    @Test("what another process advises has the name and the words that it gave")
    func told() {
        let advice = Advice.told(code: "wait", words: "wait a second")
        #expect(advice.code == "wait" && advice.text == "wait a second")
    }

    @Test("words of the command's own have no name")
    func words() {
        let error = KeyringError(.usage, "a", hint: "b")
        #expect(error.hint == "b" && error.advice?.code == nil)
    }

    @Test("a command that is advised can be typed")
    func quoting() {
        #expect(
            Advice.signIn("it's ada", ["mail.read", "a b"]).text
                == #"run 'keyfob login --account "it's ada" --scope mail.read --scope "a b"'"#)
        #expect(Advice.allow(path: "/a b").text == #"review it and run 'keyfob allow "/a b"'"#)
    }
}
