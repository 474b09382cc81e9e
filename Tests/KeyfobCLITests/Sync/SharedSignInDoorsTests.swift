import Foundation
import KeyfobTestSupport
import Testing

/// One sign-in of Google's on machines that share it over etcd, and Google behind a proxy of this test's.
private struct SharedSignIn {
    let machines: SyncMachines
    var place: Workplace { machines.place }

    init() throws {
        machines = try SyncMachines("command", "agent", "library", "python", at: .etcd)
        try place.run(
            """
            key() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "$@" 2> /dev/null; }
            key -subj /CN=authority -keyout ca.key -out ca.pem
            key -subj /CN=google -keyout key.pem -out cert.pem -CA ca.pem -CAkey ca.key \
                -addext subjectAltName=DNS:accounts.google.com,DNS:*.googleapis.com -addext basicConstraints=critical,CA:FALSE
            """
        ).expectSuccess()
        try place.write(
            "cache.json",
            """
            {"Account": {"a": {"home_account_id": "ada", "environment": "accounts.google.com", "realm": "",
                "local_account_id": "ada", "username": "ada@google.example", "authority_type": "MSSTS"}},
             "RefreshToken": {"r": {"home_account_id": "ada", "environment": "accounts.google.com", "client_id": "mailer",
                "credential_type": "RefreshToken", "secret": "refresh-1", "target": "mail"}}}
            """)
        try machines.on("command", "keyfob import -q cache.json && keyfob sync -q").expectSuccess()
        for name in machines.names.dropFirst() { try machines.on(name, "keyfob sync -q").expectSuccess() }
        try place.run(
            """
            ln -s \(LibraryFile.path) libkeyfob.so && ln -s libkeyfob.so libkeyfob.so.1
            cc -std=gnu11 -I \(LibraryFile.folder) \(ProjectFolder.tests.appending(path: "Support/C/ask.c").path) -o ask \
                -L . -lkeyfob -Wl,-rpath,"$PWD"
            """
        ).expectSuccess()
        try machines.on("agent", "keyfob program allow -q keyfob --account ada@google.example").expectSuccess()
    }

    /// Runs lines while Google is there, the first ones and then all others at once; each writes its token to a file.
    func run(first: String = ":", atOnce lines: [(machine: String, line: String)]) throws -> Outcome {
        let parts = lines.enumerated().map { index, each in
            "(\(SyncMachines.home(each.machine))\(each.line) > token.\(index) 2> error.\(index)) & asked=\"$asked $!\""
        }
        return try machines.run(
            """
            \(SyncMachines.home("agent"))\
            \(Workplace.alone) \(PythonScript.interpreter) \(PythonScript.path("google_proxy")) port & google=$!
            until test -s port; do sleep 0.01; done
            export HTTPS_PROXY=http://127.0.0.1:$(cat port) NO_PROXY=127.0.0.1 KEYFOB_CA_FILE=$PWD/ca.pem
            \(Workplace.agent())
            trap 'kill -KILL $agent $google 2> /dev/null || :' EXIT
            \(first)
            \(parts.joined(separator: "\n"))
            for each in $asked; do wait $each || echo "asking ended with $?"; done
            cat error.*
            cat token.*
            wc -l < requests
            """)
    }

    /// How each door is asked.
    var doors: [(machine: String, line: String)] {
        let (python, library) = (PythonScript.interpreter, LibraryFile.path)
        return [
            ("command", "keyfob token --account ada@google.example --scope mail"),
            // Of a vault that is locked for it, the command asks the agent.
            ("agent", "KEYFOB_KEY_FILE= keyfob token --account ada@google.example --scope mail"),
            (
                "library",
                "printf 'token\\taccount=ada@google.example\\tscope=mail\\n' | ./ask | jq -r '.rows[0].token'"
            ),
            (
                "python",
                """
                KEYFOB_LIBRARY=\(library) PYTHONPATH=\(LibraryFile.pythonFolder) PYTHONDONTWRITEBYTECODE=1 \(python) -c \
                    'import keyfob; print(keyfob.token(account="ada@google.example", scopes=["mail"]))'
                """
            ),
        ]
    }
}

@Suite("Machines that share a sign-in over etcd", .waitsForPrograms)
struct SharedSignInDoorsTests {
    @Test("by whatever door a token is asked for, one of them redeems the refresh token")
    func doors() throws {
        let shared = try SharedSignIn()
        let outcome = try shared.run(atOnce: shared.doors)
        #expect(outcome.text == String(repeating: "at-1\n", count: 4) + "1\n", "\(outcome)")
    }
}
