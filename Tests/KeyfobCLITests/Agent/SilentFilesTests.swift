import Foundation
import KeyfobTestSupport
import Testing

/// Programs with a file system of their own that never answers: whoever looks at them waits without end.
@Suite("The agent beside programs whose files never answer", .waitsForPrograms)
struct SilentFilesTests {
    private static let arePossible: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: PythonScript.interpreter)
        process.arguments = [PythonScript.path("silent_files"), "possible"]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(
        "others get their tokens, the owner locks it, and a signal ends it, as if they were not there",
        .enabled(if: arePossible, "no file system can be mounted here by FUSE (/dev/fuse, user namespaces)"),
        arguments: ["living", "becoming"])
    func silent(kind: String) throws {
        let place = try Workplace.withAda()
        let agent = PythonScript.path("agent")
        try place.run("keyfob program allow -q '\(agent)' --all-accounts --key-file key").expectSuccess()
        let outcome = try place.run(
            """
            set -e
            \(Workplace.agent(variables: "KEYFOB_KEY_FILE=$PWD/key"))
            # Says in milliseconds how long the rest of the line takes.
            took() { begin=$(date +%s%3N); "$@"; echo $(($(date +%s%3N) - begin)); }
            TMPDIR=$PWD '\(PythonScript.interpreter)' '\(PythonScript.path("silent_files"))' \(kind) 8 1000 60 > there & silent=$!
            trap 'kill -KILL $agent 2> /dev/null || :; kill -KILL $silent || :' EXIT
            until grep -q here there; do sleep 0.05; done
            for round in 1 2 3 4; do took '\(PythonScript.interpreter)' '\(agent)' token ada ADA; done
            took keyfob lock -q
            kill $agent
            took wait $agent
            """, deadline: 120)
        let told = try place.run("cat told").text
        #expect(outcome.status == 0, "\(outcome) \(told)")
        let times = outcome.text.split(separator: "\n").compactMap { Int($0) }
        // A program starts too, on a machine that is busy with other tests: without the bounds it is minutes.
        #expect(times.count == 6 && times.allSatisfy { $0 < 5_000 }, "\(outcome)")
    }
}
