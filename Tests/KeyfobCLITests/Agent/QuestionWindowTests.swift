import Foundation
import KeyfobTestSupport
import Testing

/// The windows in which the agent asks: each goes with whoever waits for its answer.
@Suite("The agent's windows", .waitsForPrograms)
struct QuestionWindowTests {
    @Test("a window goes with the program that asked, with the lock, and with the agent, however that ends")
    func withdrawn() throws {
        let place = try Workplace.withAda()
        // What stands in the place of zenity: it stays until it is ended.
        try place.run("mkdir -p bin").expectSuccess()
        try place.write("bin/zenity", "#!/bin/sh\necho $$ >> '\(place.path)/shown'\nexec sleep 600\n")
        try place.run("chmod +x bin/zenity").expectSuccess()
        let outcome = try place.run(
            """
            set -e
            start() {
                \(Workplace.agent(variables: "KEYFOB_KEY_FILE=$PWD/key DISPLAY=:99 PATH=$PWD/bin:$PATH"))
            }
            # A program of its own each time, known by its whole path and first line, which asks and is not answered. It has to be
            # older than its process, by the clock of processes.
            ask() {
                { echo '#!\(PythonScript.interpreter)'; cat '\(PythonScript.path("agent"))'; } > "program$1.py"
                chmod +x "program$1.py"; sleep 0.1
                "$PWD/program$1.py" token ada ADA 2> /dev/null & program=$!
                until test "$(wc -l < shown)" = "$1"; do sleep 0.05; done
                window=$(tail -n 1 shown)
                kill -0 $window
            }
            gone() { while kill -0 $window 2> /dev/null; do sleep 0.05; done; wait $program || :; }
            : > shown
            start
            ask 1; kill $program; gone
            ask 2; KEYFOB_KEY_FILE=$PWD/key keyfob lock -q; gone
            ask 3; kill $agent; gone; wait $agent
            start
            ask 4; kill -KILL $agent; gone
            """, deadline: 120)
        let told = try place.run("cat told").text
        #expect(outcome.status == 0, "\(outcome) \(told)")
    }
}
