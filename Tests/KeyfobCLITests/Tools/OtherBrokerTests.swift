import Foundation
import KeyfobTestSupport
import Testing

private let tenant = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
private let adasAccount =
    #"{"homeAccountId":"u.\#(tenant)","environment":"login.windows.net","realm":"\#(tenant)","username":"ada@contoso.example"}"#
private let clientInfo = Data(#"{"uid":"u","utid":"\#(tenant)"}"#.utf8).base64EncodedString()
    .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
private let goodAnswers =
    #"{"getAccounts":{"accounts":[\#(adasAccount)]},"getLinuxBrokerVersion":{"linuxBrokerVersion":"2.0.2"},"#
    + #""acquireTokenSilently":{"brokerTokenResponse":{"accessToken":"its-token","accessTokenType":0,"#
    + #""expiresOn":4102444800000,"clientInfo":"\#(clientInfo)","grantedScopes":"User.Read"}}}"#

/// Another program's broker on a bus of its own: Tests/Broker/genuine.py.
@Suite("keyfob broker, where another program is the identity broker", .waitsForPrograms)
struct OtherBrokerTests {
    /// Runs a line of the shell beside it.
    private func run(_ line: String, answers: String = goodAnswers) throws -> Outcome {
        let desktop = try DesktopPlace(.none)
        try desktop.place.write("answers", answers)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Broker/genuine.py").path
        return try desktop.run(
            """
            mkfifo told hold
            '\(PythonScript.interpreter)' '\(script)' "$DBUS_SESSION_BUS_ADDRESS" answers < hold > told &
            exec 3> hold 4< told; read word <&4; test "$word" = ready || exit 99
            \(line)
            s=$?; exec 3>&-; wait; exit $s
            """)
    }

    @Test("its accounts and tokens are shown, and nothing is stored")
    func reads() throws {
        let outcome = try run(
            """
            keyfob broker accounts && keyfob broker token -s User.Read && keyfob broker token -s User.Read --json &&
            keyfob broker accounts --json && keyfob device && cat answers.asked && test ! -e data/keyfob
            """
        ).expectSuccess()
        #expect(outcome.text.contains("ada@contoso.example"), "\(outcome)")
        #expect(outcome.text.contains("\nits-token\n"), "\(outcome)")
        #expect(outcome.text.contains("\"token\" : \"its-token\""), "\(outcome)")
        #expect(outcome.text.contains("\"version\" : \"2.0.2\""), "\(outcome)")
        #expect(outcome.text.contains("another program"), "\(outcome)")
        #expect(outcome.text.contains("\"requestedScopes\":[\"User.Read\"]"), "\(outcome)")
    }

    @Test(
        "what it refuses is told by name, and what cannot be read is refused",
        arguments: [
            (#"{"getAccounts":{"accounts":[]}}"#, 13, "nobody is signed in"),
            (#"{"getAccounts":"nonsense"}"#, 65, "no JSON"), ("{}", 69, "UnknownMethod"),
            (
                goodAnswers.replacing(
                    #""accessToken":"its-token""#, with: #""error":{"status":2,"context":"\u001b[31mno"}"#), 10,
                "interaction required"
            ),
            (goodAnswers.replacing(clientInfo, with: "eyJ1aWQiOiJ4IiwidXRpZCI6InkifQ"), 65, "another account's"),
        ])
    func refuses(answers: String, status: Int, words: String) throws {
        let outcome = try run("keyfob broker token -s User.Read", answers: answers)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.text.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome)")
        #expect(!outcome.errors.contains("\u{1B}"), "\(outcome)")
    }

    @Test("which --broker tells its accounts beside those to choose from, and decides as ever, whatever it says")
    func evidence() throws {
        let outcome = try run(
            """
            keyfob init -q --new-key-file key --recovery-file recovery && export KEYFOB_KEY_FILE="$PWD/key" &&
            echo token | keyfob add -q --account bob --host git.example --scope repo &&
            keyfob which > alone && keyfob which --broker && keyfob which --broker --json | grep -A 4 brokerAccounts &&
            ! keyfob which --broker --account ada@contoso.example > nobody &&
            echo '{"getAccounts":"nonsense"}' > answers && keyfob which --broker | cmp - alone
            """
        ).expectSuccess()
        #expect(outcome.text.contains(/bob +default +no +chosen/), "\(outcome)")
        #expect(outcome.text.contains(/ada@contoso.example +- +yes +not in the vault/), "\(outcome)")
        #expect(outcome.text.contains("\"isInVault\" : false"), "\(outcome)")
        #expect(outcome.errors.contains("keyfob: warning: nothing is known of the identity broker"), "\(outcome)")
    }

    @Test("where there is none, or no bus, that is said")
    func none() throws {
        let outcome = try DesktopPlace(.none).run("keyfob broker accounts")
        #expect(outcome.status == 69 && outcome.errors.contains("no program is the identity broker"), "\(outcome)")
        let without = try Workplace(["DBUS_SESSION_BUS_ADDRESS": ""]).run("keyfob broker accounts")
        #expect(without.status == 69 && without.errors.contains("no session bus"), "\(without)")
    }
}
