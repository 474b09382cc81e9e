import Foundation
import KeyfobTestSupport
import Testing

@Suite("Signing in by a scheme of an app's own", .waitsForPrograms)
struct SchemeSignInTests {
    private static let address = "com.example.app:/callback"
    private let home: SignInPlace

    init() throws {
        home = try SignInPlace(try ProviderServer.shared())
        try home.run(
            """
            keyfob client add --quiet --replace \(ProviderServer.publicClient) --provider local \\
                --redirect-uri \(Self.address)
            """
        ).expectSuccess()
        // What a browser and a desktop do together.
        try home.place.write(
            "bin/desktop",
            """
            #!/bin/sh
            url=$(\(PythonScript.interpreter) \(ProviderServer.visitorProgram) "$1" "$TEST_USER" --stay $TEST_OPTIONS) || exit
            for before in $TEST_BEFORE; do keyfob redirect "$before" 2>> said; echo "[$?]" >> said; done
            keyfob redirect "$url" 2>> said; echo "[$?]" >> said

            """)
        try home.run("chmod +x bin/desktop").expectSuccess()
    }

    private let login = """
        XDG_RUNTIME_DIR=$(mktemp -d); export XDG_RUNTIME_DIR; trap 'rm -r $XDG_RUNTIME_DIR' EXIT
        export BROWSER=desktop
        """

    @Test("the desktop hands the answer over, and what is no answer changes nothing")
    func handed() throws {
        let outcome = try home.run(
            """
            \(login); export TEST_USER=alice
            export TEST_BEFORE="\(Self.address)?code=x&state=y \(Self.address) com.other.app:/callback?code=x javascript:x"
            keyfob login local --quiet; s=$?; until [ "$(grep -c '^\\[' said)" = 5 ]; do sleep 0.05; done
            cat said; ls $XDG_RUNTIME_DIR/keyfob; exit $s
            """
        ).expectSuccess()
        #expect(
            outcome.text.split(separator: "\n").filter { $0.hasPrefix("[") } == [
                "[69]", "[69]", "[69]", "[64]", "[0]",
            ], "\(outcome)")
        #expect(
            outcome.text.contains("the sign-in that waits does not take this address: it belongs to another sign-in"),
            "\(outcome)")
        #expect(outcome.text.contains("the sign-in goes on where it was started"), "\(outcome)")
        #expect(!outcome.text.contains("redirect-"), "a socket is left: \(outcome)")
        #expect(try home.run("keyfob account list").text.contains("alice"))
    }

    @Test("where nobody waits, a program is told so")
    func nobody() throws {
        let outcome = try home.run(
            """
            \(login)
            keyfob redirect io.keyfob:/callback --json || echo $?
            """)
        #expect(outcome.text == "69\n" && outcome.errors.contains("\"code\" : \"unavailable\""), "\(outcome)")
    }

    @Test("two sign-ins wait at once, and each gets its own answer")
    func two() throws {
        try home.run(
            """
            \(login)
            TEST_USER=alice keyfob login local --quiet & first=$!
            TEST_USER=bob keyfob login local --quiet && wait $first
            """
        ).expectSuccess()
        let accounts = try home.run("keyfob account list").text
        #expect(accounts.contains("alice") && accounts.contains("bob"), "\(accounts)")
    }

    @Test("who says no is told so, in the sign-in and to the desktop")
    func denied() throws {
        let outcome = try home.run(
            """
            \(login); export TEST_USER=alice TEST_OPTIONS=--deny
            keyfob login local --quiet; s=$?; until grep -q '^\\[' said; do sleep 0.05; done; cat said; exit $s
            """)
        #expect(outcome.status == 15 && outcome.text.contains("[69]"), "\(outcome)")
        #expect(outcome.text.contains("the sign-in has failed"), "\(outcome)")
    }

    @Test("what a killed sign-in has left is cleared away, and a port or a form is refused for such an address")
    func remains() throws {
        let outcome = try home.run(
            """
            \(login); export BROWSER=true
            keyfob login local --quiet & waiting=$!
            until ls $XDG_RUNTIME_DIR/keyfob/redirect-* > /dev/null 2>&1; do sleep 0.05; done
            kill -9 $waiting; wait $waiting 2> /dev/null
            keyfob redirect '\(Self.address)?code=x&state=y'; echo "[$?]"; ls $XDG_RUNTIME_DIR/keyfob
            """)
        #expect(outcome.text.hasPrefix("[69]") && !outcome.text.contains("redirect-"), "\(outcome)")
        #expect(outcome.errors.contains("no sign-in waits for an address of com.example.app"), "\(outcome)")
        try home.run("\(login); keyfob login local --port 8400").expectError(64, "has no port and takes no form")
        try home.run("unset XDG_RUNTIME_DIR; keyfob login local").expectError(69, "XDG_RUNTIME_DIR is not set")
    }

    @Test("a desktop finds what setup writes, and nothing once it is undone")
    func setup() throws {
        let outcome = try home.run(
            """
            export XDG_DATA_HOME=$PWD/data XDG_CONFIG_HOME=$PWD/config XDG_DATA_DIRS=/nonexistent
            ask() { echo "<$(xdg-mime query default x-scheme-handler/com.example.app)>"; }
            keyfob setup url-scheme com.example.app --force -q && desktop-file-validate data/applications/*.desktop && ask
            keyfob setup url-scheme com.example.app
            keyfob setup url-scheme com.example.app --undo --force -q && ask
            """
        ).expectSuccess()
        #expect(outcome.text == "<keyfob-com.example.app.desktop>\n<>\n", "\(outcome)")
        #expect(outcome.errors.contains("already"), "\(outcome)")
    }
}
