import Foundation
import KeyfobTestSupport
import Testing

/// The agent in a desktop's session, whose bus, keyring and windows are not its own.
@Suite("The agent in a desktop's session", .waitsForPrograms)
struct AgentOnDesktopTests {
    private static let broker =
        "com.microsoft.identity.broker1 /com/microsoft/identity/broker1 com.microsoft.identity.Broker1"
    private static let caller =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Broker/caller.py").path

    /// The shell's lines that start an agent and end it with the shell, and ask the broker with `broker METHOD JSON`.
    private func lines(agent variables: String = "", _ lines: String...) -> String {
        """
        set -e
        \(Workplace.agent("--broker", variables: variables))
        ask() { '\(PythonScript.interpreter)' '\(PythonScript.path("agent"))' "$@"; }
        broker() {
            printf 'call \(Self.broker) %s 0.0 id %s\\n' "$1" "$2" \\
                | '\(PythonScript.interpreter)' '\(Self.caller)' "$DBUS_SESSION_BUS_ADDRESS" | grep -v '^ready'
        }
        until broker getLinuxBrokerVersion '{}' | grep -q 2.0; do sleep 0.05; done
        \(lines.joined(separator: "\n"))
        kill $agent
        wait $agent
        """
    }

    private static let silent =
        #"'{"authParameters":{"account":null,"authority":"https://login.microsoftonline.com/common","clientId":"c","requestedScopes":["User.Read"]}}'"#

    /// Ada and Bob at Microsoft, in a cache of MSAL.
    private func addPeople(_ place: Workplace, _ options: String = "") throws {
        let tenant = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
        let now = Int(Date().timeIntervalSince1970)
        var (tokens, accounts) = ([String](), [String]())
        for name in ["ada", "bob"] {
            let owner =
                #""home_account_id":"\#(name).\#(tenant)","environment":"login.microsoftonline.com","realm":"\#(tenant)""#
            tokens.append(
                #""\#(name)":{\#(owner),"credential_type":"AccessToken","client_id":"c","secret":"token-of-\#(name)","#
                    + #""target":"User.Read","token_type":"Bearer","cached_at":"\#(now)","expires_on":"\#(now + 3_600)"}"#
            )
            accounts.append(
                #""\#(name)":{\#(owner),"local_account_id":"\#(name)","username":"\#(name)@contoso.example","authority_type":"MSSTS"}"#
            )
        }
        let cache =
            #"{"AccessToken":{\#(tokens.joined(separator: ","))},"Account":{\#(accounts.joined(separator: ","))},"#
            + #""RefreshToken":{},"IdToken":{},"AppMetadata":{}}"#
        try place.run("keyfob import -q \(options) -", text: cache).expectSuccess()
    }

    @Test("a vault that moves to the desktop's keyring and back under it is followed, and its changes are seen")
    func migration() throws {
        let desktop = try DesktopPlace()
        let place = desktop.place
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try place.run(
            "keyfob add -q --key-file key --account ada --host git.example --scope repo", text: "before"
        ).expectSuccess()
        try place.run(
            "keyfob program allow -q '\(PythonScript.path("agent"))' --all-accounts --key-file key"
        ).expectSuccess()
        let add = "keyfob add -q --account ada --host git.example --scope repo"
        let outcome = try place.run(
            lines(
                agent: "KEYFOB_KEY_FILE=$PWD/key", "ask token ada before",
                "keyfob migrate -q --to secret-service --key-file key > moved", "ask token ada before",
                "echo there | \(add)", "ask token ada there",
                "keyfob migrate -q --to embedded > moved", "ask token ada there",
                "echo back | \(add) --key-file key", "ask token ada back",
                "KEYFOB_KEY_FILE=$PWD/key keyfob log > log", "KEYFOB_KEY_FILE=$PWD/key keyfob verify -q"), deadline: 300
        )
        let told = try place.run("cat told").text
        #expect(outcome.status == 0, "\(outcome) \(told)")
    }

    @Test(
        "while the keyring that opens the vault is locked, programs of the broker are told to come again, and nobody is asked"
    )
    func lockedKeyring() throws {
        let desktop = try DesktopPlace.withVault()
        let place = desktop.place
        try addPeople(place)
        try place.run("keyfob program allow -q '\(Self.caller)' --account ada@contoso.example").expectSuccess()
        try desktop.session.lock()
        let locked = try place.run(lines("broker acquireTokenSilently \(Self.silent)"), deadline: 300)
        #expect(locked.status == 0, "\(locked)")
        #expect(locked.text.contains(#""status":15"#) && !locked.text.contains("token-of"), "\(locked)")
        #expect(locked.text.contains("locked"), "\(locked)")
        try desktop.session.unlock()
        let open = try place.run(lines("broker acquireTokenSilently \(Self.silent)"), deadline: 300)
        #expect(open.text.contains(#""accessToken":"token-of-ada""#), "\(open)")
    }

    @Test("who signs in is chosen in a window; what is printed there, and how it ends, decides")
    func window() throws {
        let desktop = try DesktopPlace(.none)
        let place = desktop.place
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try addPeople(place, "--key-file key")
        try place.run(
            "keyfob program allow -q '\(Self.caller)' --all-accounts --key-file key"
        ).expectSuccess()
        // What stands in the place of zenity: it prints the row that the file says, or is closed.
        try place.run("mkdir -p bin").expectSuccess()
        try place.write(
            "bin/zenity",
            "#!/bin/sh\nprintf '%s\\n' \"$@\" >> '\(place.path)/shown'\ntest -s '\(place.path)/row' || exit 1\n"
                + "cat '\(place.path)/row'\n")
        try place.run("chmod +x bin/zenity").expectSuccess()
        let outcome = try place.run(
            lines(
                agent: "KEYFOB_KEY_FILE=$PWD/key DISPLAY=:99 PATH=$PWD/bin:$PATH",
                "echo 1 > row; broker acquireTokenInteractively \(Self.silent)",
                "echo 7 > row; broker acquireTokenInteractively \(Self.silent)",
                ": > row; broker acquireTokenInteractively \(Self.silent)"), deadline: 300)
        let told = try place.run("cat told").text
        #expect(outcome.status == 0, "\(outcome) \(told)")
        let answers = outcome.text.split(separator: "\n")
        #expect(answers.first?.contains(#""accessToken":"token-of-bob""#) == true, "\(outcome)")
        #expect(answers.count == 3 && answers.dropFirst().allSatisfy { $0.contains(#""status":7"#) }, "\(outcome)")
        let shown = try place.read("shown")
        let text = String(decoding: Data(shown), as: UTF8.self)
        #expect(text.contains("wants you to sign in.") && text.contains("\n2\nAnother account…\n"), "\(text)")
        #expect(!text.contains("token-of"))
    }
}
