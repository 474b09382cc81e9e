import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// An agent whose vault, socket or lock is taken away, or replaced.
@Suite("An agent without its place", .waitsForPrograms)
struct AgentPlaceTests {
    /// A vault of one account that a key file opens, whose token the script that asks may have.
    private func home() throws -> Workplace {
        let place = try Workplace.withAda()
        try place.run("keyfob program allow -q '\(PythonScript.path("agent"))' --account ada --key-file key")
            .expectSuccess()
        return place
    }

    /// Types lines while an agent runs that was given the key.
    private func run(_ place: Workplace, _ lines: String) throws -> Outcome {
        try place.run(
            """
            set -e
            \(Workplace.agent())
            ask() { '\(PythonScript.interpreter)' '\(PythonScript.path("agent"))' "$@"; }
            keyfob unlock -q --agent --key-file key
            ask token ada ADA
            vault='\(place.vault)'
            \(lines)
            """)
    }

    @Test("its keys are gone with its vault, and 'lock' needs no vault to reach it")
    func vaultIsGone() throws {
        let outcome = try run(
            home(),
            """
            kill -STOP $agent
            mv "$vault" away
            kill -CONT $agent
            status=0; keyfob lock 2> locked || status=$?; test $status = 69
            mv away "$vault"
            ask locked
            keyfob unlock -q --agent --key-file key
            ask token ada ADA
            mv "$vault" away
            until grep -qs 'holds no keys' status; do
                mv away "$vault"
                keyfob status | grep '^agent' > status
                mv "$vault" away
            done
            mv away "$vault"
            ask locked
            sed 's/, but whether .*: there is no vault.*/, but no vault/' locked
            """)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.text == "keyfob: locked, but no vault\n"
                || outcome.text == "keyfob: the agent holds no keys, but no vault\n",
            "\(outcome)")
    }

    @Test("another vault in the place of its own gets none of its keys, and none of its tokens are given")
    func vaultIsReplaced() throws {
        let outcome = try run(
            home(),
            """
            mkdir other
            keyfob init -q --vault "$PWD/other/keyfob" --key-file key --recovery-file recovery2
            kill -STOP $agent
            mv "$vault" away
            mv other/keyfob "$vault"
            kill -CONT $agent
            if ask token ada ADA 2> refused; then exit 9; fi
            test -s refused
            """)
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome)")
    }

    @Test("it ends with its socket or its lock", arguments: ["agent", "agent.lock"])
    func placeIsGone(_ name: String) throws {
        let outcome = try run(
            home(),
            """
            rm run/keyfob/\(name)
            wait $agent || echo $?
            keyfob lock
            cat told
            if keyfob status | grep '^agent'; then exit 9; fi
            """)
        #expect(outcome.status == 0 && outcome.errors == "it was locked already\n", "\(outcome)")
        #expect(outcome.text.hasPrefix("69\n"), "\(outcome)")
        #expect(
            outcome.text.contains("/run/keyfob/\(name) was taken away; the agent has forgotten its keys"), "\(outcome)")
    }

    @Test("'lock', 'status' and 'doctor' find it with another runtime folder, and where it is gone its note goes")
    func otherRuntimeFolder() throws {
        let outcome = try run(
            home(),
            """
            mkdir -m 700 other
            notes() { ls state/keyfob/agents | wc -l; }
            elsewhere() { XDG_RUNTIME_DIR=$PWD/other "$@"; }
            test $(notes) = 1
            elsewhere keyfob status | grep -c "^agent   process $agent at $PWD/run/keyfob/agent, holds keys"
            elsewhere keyfob status --json | grep -c '"process" : '"$agent"
            rm state/keyfob/agents/*
            # It is written again.
            until test $(notes) = 1; do ask accounts ada; sleep 0.1; done
            kill -STOP $agent
            elsewhere keyfob doctor --key-file key | grep -c "^warning agent: process $agent, does not answer" || :
            kill -CONT $agent
            elsewhere keyfob lock
            ask locked
            { kill -KILL $agent; wait $agent; } 2> /dev/null || :
            keyfob lock
            notes
            """)
        #expect(outcome.status == 0 && outcome.text == "1\n1\n1\n0\n", "\(outcome)")
        #expect(outcome.errors.hasSuffix("locked\nit was locked already\n"), "\(outcome)")
    }

    @Test("one that runs and cannot be reached is named, with what ends it")
    func unreachable() throws {
        let place = try home()
        let outcome = try run(
            place,
            """
            kill -STOP $agent
            rm run/keyfob/agent
            keyfob lock 2> 1 || echo $?
            keyfob unlock --agent --key-file key 2> 2 || echo $?
            keyfob agent 2> 3 || echo $?
            end=$(keyfob status | grep -o "'kill .*" | cut -d"'" -f2)
            echo "'$end'"
            $end
            keyfob lock 2> 4
            """)
        #expect(outcome.status == 0, "\(outcome)")
        let end = try #require(outcome.text.firstMatch(of: /^69\n69\n73\n('kill -9 [0-9]+')/)).1
        for number in 1...3 {
            let told = try place.run("cat \(number)").text
            #expect(told.contains(end) && !told.contains("locked already"), "\(told)")
        }
    }
}
