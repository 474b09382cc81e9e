import Foundation
import KeyfobTestSupport
import Testing

/// Pipes with a name, given where a file is expected.
@Suite("Pipes that nobody writes into", .waitsForPrograms)
struct PipeTests {
    /// What is typed, with `PIPE` for the pipe.
    private static let lines = [
        "keyfob status --key-file PIPE", "KEYFOB_KEY_FILE=PIPE keyfob account list", "keyfob status --identity PIPE",
        "keyfob import PIPE", "keyfob restore PIPE", "keyfob inject -i PIPE",
        "keyfob add zoe@git.example < PIPE",
        "keyfob import - < PIPE", "keyfob request https://git.example --account ada --data @PIPE",
        "keyfob slot add key-file PIPE", "keyfob backup --verify PIPE",
        "keyfob client add x --provider google --client-key PIPE",
        "keyfob provider add PIPE", "keyfob status --passphrase-fd 3 3< PIPE",
    ]

    @Test(
        "are given up after a while, with what is waited for and what to do, whether nothing came or it stopped halfway",
        arguments: [true, false])
    func silent(stalls: Bool) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        // All at once: each of them waits. A writer holds each open, whom an opening that waits would wait for.
        let script = Self.lines.enumerated().map { index, line in
            """
            mkfifo -m 600 pipe\(index)
            { \(stalls ? "printf a; " : "")exec sleep 60; } 1<> pipe\(index) &
            writers="$writers $!"
            { \(line.replacing("PIPE", with: "pipe\(index)")) 2> said\(index) > /dev/null; echo $? > status\(index); } &
            readers="$readers $!"
            """
        }.joined(separator: "\n")
        try place.run(script + "\nwait $readers; kill $writers", deadline: 100).expectSuccess()
        for (index, line) in Self.lines.enumerated() {
            let said = String(decoding: try place.read("said\(index)"), as: UTF8.self)
            let status = String(decoding: try place.read("status\(index)"), as: UTF8.self)
            #expect(status == "74\n", "\(line): \(status)\(said)")
            #expect(
                said.contains("nothing came through") && said.contains("10 seconds")
                    && said.contains("start what writes into it"),
                "\(line): \(said)")
            #expect(said.split(separator: "\n").count == 1, "\(line): \(said)")
        }
    }

    @Test("that somebody writes into, piece by piece, are read to their end")
    func slow() throws {
        let place = try Workplace.withVault()
        try place.run(
            """
            set -e
            mkfifo -m 600 a b
            { head -c 16 key; sleep 1.5; tail -c +17 key; } > a &
            keyfob status --key-file a > /dev/null
            printf token | keyfob add -q ada@git.example && keyfob backup -q --to made.age
            { head -c 10 made.age; sleep 1.5; tail -c +11 made.age; } > b &
            keyfob backup -q --verify b --bundle-identity recovery
            bash -c 'keyfob restore <(cat made.age) --bundle-identity recovery -q --force'
            printf 'git.example:\n  user: bob\n  oauth_token: gho_000000000000000000000000000000000001\n' > hosts
            { head -c 10 hosts; sleep 1.5; tail -c +11 hosts; } > b &
            keyfob import -q b
            bash -c 'keyfob import -q <(cat hosts)'
            """
        ).expectSuccess()
    }

    @Test("are told of after a second on a terminal")
    func told() throws {
        let place = try Workplace.withVault()
        try place.run("mkfifo -m 600 pipe").expectSuccess()
        let run = try place.onTerminal("sh -c 'sleep 60 1<> pipe & keyfob status --key-file pipe; kill $!'", [])
        #expect(run.screen.contains("waiting for what comes through the pipe pipe"), "\(run)")
        #expect(run.screen.contains("nothing came through the pipe pipe in 10 seconds"), "\(run)")
    }
}
