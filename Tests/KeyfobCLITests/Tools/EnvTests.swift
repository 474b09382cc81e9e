import Foundation
import KeyfobTestSupport
import Testing

@Suite("A shell that works with an account", .waitsForPrograms)
struct EnvTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.add("ada", token: "ADA", "--scope repo")
        try place.add("bob", token: "BOB", "--scope repo")
    }

    @Test("direnv's file sets the account, or fails")
    func direnv() throws {
        let file = ProjectFolder.root.appending(path: "Packaging/direnv/use_keyfob.sh").path
        let outcome = try place.run(
            """
            bash -eu -c '. \(file); use_keyfob ada; keyfob token
            if use_keyfob eve 2> /dev/null; then echo eve; fi; keyfob token; use_keyfob --group default bob; env | grep ^KEYFOB_[AG] | sort'
            """)
        #expect(
            outcome.text == "ADA\nADA\nKEYFOB_ACCOUNT=bob@git.example\nKEYFOB_GROUP=default\n"
                && outcome.errors.isEmpty,
            "\(outcome)")
    }

    @Test(
        "a name that is not looked up stays one word in each shell",
        arguments: ["it's", "a\\", "a\\'; touch ran; '", "$(touch ran)", "-n"])
    func words(name: String) throws {
        let argument = "'" + name.replacing("'", with: "'\\''") + "'"
        for shell in ["sh", "fish"] {
            let outcome = try place.run(
                "unset KEYFOB_KEY_FILE; keyfob env -q --shell \(shell) -- \(argument) > lines; echo 'printenv KEYFOB_ACCOUNT' >> lines; \(shell) lines"
            )
            #expect(outcome.text == name + "\n", "\(outcome)")
        }
        #expect(
            try place.run("unset KEYFOB_KEY_FILE; keyfob env -q --shell fish -- \(argument)").text.hasPrefix(
                "set -gx KEYFOB_ACCOUNT '"))
        #expect(try place.run("ls ran").text.isEmpty)
    }
}
