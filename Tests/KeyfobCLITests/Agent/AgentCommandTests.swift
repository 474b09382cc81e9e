import Foundation
import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// `keyfob agent` as a client of somebody else's making finds it: the one for varlink from PyPI.
@Suite("The agent over its socket", .waitsForPrograms)
struct AgentCommandTests {
    /// A vault of two accounts that a key file opens, which no variable names.
    private func home() throws -> Workplace {
        let place = try Workplace()
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        for (account, token) in [("ada", "ADA"), ("bob", "B\"\\B")] {
            try place.run(
                "keyfob add -q --key-file key --account \(account) --host git.example --scope repo", text: token
            ).expectSuccess()
        }
        return place
    }

    /// Types lines while an agent runs, which a signal then ends well.
    ///
    /// - Parameter options: What is typed behind `keyfob agent`, or before it in brackets.
    @discardableResult
    private func run(
        _ place: Workplace, options: String = "", variables: String = "", _ lines: String...,
        location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try place.run(
            """
            set -e
            \(Workplace.agent(options, variables: variables))
            ask() { '\(PythonScript.interpreter)' '\(PythonScript.path("agent"))' "$@"; }
            \(lines.joined(separator: "\n"))
            kill $agent
            wait $agent
            test ! -e run/keyfob/agent
            """)
        let told = try place.run("cat told").text
        #expect(outcome.status == 0, "\(outcome) \(told)", sourceLocation: location)
        return outcome
    }

    /// Lets the script that asks have the tokens of all accounts.
    private func permit(_ place: Workplace, isAllowed: Bool = true) throws {
        let location = KeyringLocation(
            vault: place.vault, state: place.path + "/state/keyfob", runtime: place.path + "/run/keyfob")
        let key = try [UInt8](place.read("key")).withBytes { SecretBytes(copying: $0) }
        let keyring = try LockedKeyring(at: location).unlock(with: .keyFile(key))
        let program = try #require(Program(.script, PythonScript.path("agent")))
        try keyring.programs.permit(ProgramPermission(of: program, isAllowed: isAllowed, in: .default))
    }

    private let key = "KEYFOB_KEY_FILE=$PWD/key; export KEYFOB_KEY_FILE;"

    @Test("it describes itself, and refuses what makes no sense")
    func described() throws {
        try run(home(), "ask described", "ask wrong")
    }

    @Test("a program that may have them gets accounts and tokens, whatever is in these")
    func tokens() throws {
        let place = try home()
        try permit(place)
        try run(
            place, variables: key, "ask accounts ada bob", "ask token ada ADA", #"ask token bob 'B"\B'"#,
            "ask ambiguous")
        // Neither what is told nor what is printed has one.
        let said = try place.run("cat said told").text
        #expect(!said.contains("ADA"), "\(said)")
    }

    @Test("a program that nobody has let in gets nothing, and learns nothing of what there is")
    func unknown() throws {
        let place = try home()
        try run(place, variables: key, "ask unknown ada")
        try permit(place, isAllowed: false)
        try run(place, variables: key, "ask unknown ada")
    }

    @Test(
        "with few descriptors, processes or little memory it is locked beside programs that take all places",
        arguments: ["-n 64", "-n 72", "-n 100", "-n 200", "-n 400", "-Sn 1024", "-v 900000"])
    func limits(limit: String) throws {
        let place = try home()
        try permit(place)
        let outcome = try run(
            place, variables: "ulimit \(limit);", "keyfob unlock -q --agent --for 1h --key-file key",
            "ask token ada ADA", "ask crowd", "ask locked",
            "keyfob unlock -q --agent --for 1h --key-file key", "ask token ada ADA", "keyfob lock")
        #expect(outcome.errors.hasSuffix("locked\n"), "\(outcome)")
    }

    @Test("while the vault is locked, programs are told what opens it, and that does")
    func locked() throws {
        let place = try home()
        try permit(place)
        let outcome = try run(
            place, "ask locked", "keyfob unlock --agent --for 1h --key-file key", "ask token ada ADA",
            "keyfob status | grep '^agent'", "keyfob lock", "ask locked",
            "keyfob unlock -q --agent --for 1h --key-file key", "ask lock", "ask locked", "keyfob lock")
        #expect(outcome.errors == "unlocked the agent for 1h\nlocked\nit was locked already\n")
        #expect(outcome.text.wholeMatch(of: /agent   process [0-9]+, holds keys, until .*\n/) != nil, "\(outcome)")
    }

    @Test("after the owner's new keys it opens the vault anew by what is at hand, or says since when a key is old")
    func replacedKeys() throws {
        let rekey = "keyfob rekey -q --force --key-file key --recovery-file $(mktemp -u ./XXXXXX)"
        let file = try home()
        try permit(file)
        try run(
            file, variables: "KEYFOB_KEY_FILE=$PWD/key", "ask token ada ADA", rekey, "ask token ada ADA", rekey, rekey,
            "ask token ada ADA", "keyfob group rotate -q default --key-file key", "keyfob log -q --key-file key",
            "ask token ada ADA", "keyfob log -q --key-file key", rekey, "keyfob log -q --key-file key")
        let handed = try home()
        try permit(handed)
        try run(
            handed, "keyfob unlock --agent --for 1h --key-file key", "ask token ada ADA", rekey,
            "ask replaced", "ask locked", "keyfob unlock --agent --for 1h --key-file key", "ask token ada ADA")
        // A header that somebody altered is none of the owner's, with the keys in whatever memory.
        try run(
            handed, variables: "KEYFOB_KEY_FILE=$PWD/key", "ask token ada ADA",
            "\(PythonScript.interpreter) \(PythonScript.path("vault_bytes")) data/keyfob forge-header",
            "ask altered")
    }

    @Test("a key that was handed over is forgotten when its time is over")
    func timeout() throws {
        let place = try home()
        try run(
            place, "keyfob unlock -q --agent --for 8s --key-file key",
            "keyfob status --json | grep -q '\"isOpen\" : true'",
            "until keyfob status --json | grep -q '\"isOpen\" : false'; do sleep 0.05; done", "ask locked")
    }

    @Test("a key of one group opens that one alone")
    func oneGroup() throws {
        let place = try home()
        try place.run("keyfob group create -q work --key-file key").expectSuccess()
        try place.run("keyfob group grant -q work key-file --new work.key --key-file key").expectSuccess()
        try permit(place)
        let told = try run(place, "keyfob unlock --agent --key-file work.key", "ask accounts")
        #expect(told.errors == "unlocked the agent for 8h (one group)\n")
    }

    @Test("who watches is told what other commands do")
    func monitor() throws {
        let place = try home()
        try permit(place)
        try run(place, variables: key, key, "ask monitor ada")
    }

    @Test("programs that behave badly disturb nobody")
    func hostile() throws {
        try run(home(), "ask hostile")
    }

    @Test("the owner locks it while programs hold every connection that programs may have")
    func crowded() throws {
        let place = try home()
        try run(place, "keyfob unlock -q --agent --key-file key", "ask crowd", "ask locked")
    }

    @Test("there is one for each vault, and one that was killed is in nobody's way")
    func one() throws {
        let place = try home()
        let outcome = try run(
            place, "keyfob agent || echo $?", "kill -KILL $agent", "wait $agent || :", "test -e run/keyfob/agent",
            "rm told",
            "(\(Workplace.alone) keyfob agent > said 2> told) & agent=$!",
            "until grep -qs listening told; do sleep 0.01; done", "ask described")
        #expect(outcome.text == "73\n")
        #expect(
            outcome.errors.firstMatch(of: /^keyfob: an agent runs already \(process [0-9]+\)\n/) != nil, "\(outcome)")
    }

    @Test("for another vault than the usual one it has another socket")
    func otherVault() throws {
        let place = try home()
        try place.run("keyfob init -q --vault other --key-file key --recovery-file recovery2").expectSuccess()
        let outcome = try place.run(
            """
            set -e
            # A socket's path may not be as long as this place's.
            XDG_RUNTIME_DIR=$(mktemp -d); export XDG_RUNTIME_DIR
            trap 'kill -KILL $one $other 2> /dev/null || :; rm -r $XDG_RUNTIME_DIR' EXIT; trap exit TERM
            (\(Workplace.alone) keyfob agent 2> told) & one=$!
            (\(Workplace.alone) keyfob agent --vault other 2> told2) & other=$!
            until grep -qs listening told && grep -qs listening told2; do sleep 0.01; done
            id=$(keyfob status --vault other | sed -n 's/^id *\\(.\\{16\\}\\).*/\\1/p')
            test -S $XDG_RUNTIME_DIR/keyfob/agent-$id
            keyfob unlock -q --vault other --agent --key-file key
            keyfob status --json --vault other | grep -q '"isOpen" : true'
            keyfob status --json | grep -q '"isOpen" : false'
            kill $one $other
            wait $one
            wait $other
            """)
        #expect(outcome.status == 0 && outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("it ends by itself where nobody asks, and not while it holds a key")
    func idle() throws {
        let place = try home()
        try place.run("keyfob agent --quiet --idle 1s", deadline: 30).expectSuccess()
        let lines = """
            set -e
            (\(Workplace.alone) keyfob agent --idle 5s 2> told) & agent=$!
            until grep -qs listening told; do sleep 0.01; done
            begin=$(date +%s)
            keyfob unlock -q --agent --for 8s --key-file key
            wait $agent
            test $(($(date +%s) - begin)) -ge 8
            """
        try place.run(lines, deadline: 60).expectSuccess()
    }

    @Test("systemd starts it when it is first asked, with its socket")
    func activated() throws {
        let place = try home()
        let activate = "/usr/bin/systemd-socket-activate"
        try #require(FileManager.default.isExecutableFile(atPath: activate))
        try place.run(
            """
            set -e
            mkdir -m 700 run/keyfob
            trap 'kill -KILL $agent 2> /dev/null || :' EXIT; trap exit TERM
            (\(Workplace.alone) \(activate) -l "$PWD/run/keyfob/agent" -E PATH -E HOME -E XDG_DATA_HOME -E XDG_STATE_HOME \\
                -E XDG_RUNTIME_DIR keyfob agent --quiet --idle 5s 2> told) & agent=$!
            until test -S run/keyfob/agent; do sleep 0.01; done
            '\(PythonScript.interpreter)' '\(PythonScript.path("agent"))' described
            wait $agent
            """
        ).expectSuccess()
    }

    @Test("what it cannot do is said before anything else is asked")
    func refused() throws {
        let place = try home()
        try place.run("keyfob unlock --agent --key-file nofile").expectError(69, "no agent runs", "'keyfob agent'")
        try place.run("keyfob unlock --agent --user").expectError(64, "--agent and --user exclude one another")
        try place.run("env -u XDG_RUNTIME_DIR keyfob agent").expectError(69, "XDG_RUNTIME_DIR")
        try place.run("keyfob agent --idle never").expectError(64, "--idle takes a duration")
        try place.run("keyfob agent --passphrase-fd 0").expectError(64, "'keyfob unlock --agent'")
        try place.run("LISTEN_FDS=1 LISTEN_PID=$$ exec keyfob agent 3< key").expectError(78, "LISTEN_FDS")
        try place.run("mkdir -p run/keyfob; chmod 755 run/keyfob; keyfob agent").expectError(78, "0755")
        try place.run("chmod 700 run/keyfob; rm -f run/keyfob/agent; echo mine > run/keyfob/agent; keyfob agent")
            .expectError(78, "is in the way")
        #expect(try place.run("cat run/keyfob/agent").text == "mine\n")
    }
}
