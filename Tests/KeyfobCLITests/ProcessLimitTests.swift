import KeyfobTestSupport
import Testing

/// Limits of the process (the shell's `ulimit`) are errors with their name, and no signals.
@Suite("Limits of the process", .waitsForPrograms)
struct ProcessLimitTests {
    @Test("a file that may not grow is an error with its cause, and leaves nothing half done")
    func fileSize() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ADA")
        for command in ["backup --to made.age", "account label ada x", "add -a bob --host git.example"] {
            let outcome = try place.run("(ulimit -f 0; printf x | keyfob \(command) 2>&1 > /dev/null; echo $?) | cat")
            #expect(outcome.text.hasPrefix("keyfob: ") && outcome.text.hasSuffix("\n74\n"), "\(outcome)")
            #expect(outcome.text.contains("'ulimit -f'"), "\(outcome)")
            #expect(outcome.text.contains("vault failed") != command.hasPrefix("backup"), "\(outcome)")
        }
        // SQLite does not always know afterwards why it could not write.
        for size in stride(from: 32, through: 128, by: 4) {
            let line = "(ulimit -f \(size); keyfob account label ada x\(size) 2>&1; echo $?) | cat"
            let outcome = try place.run("bash -c '\(line)'").text
            #expect(outcome.hasSuffix("\n0\n") || outcome.contains("'ulimit -f'"), "\(size): \(outcome)")
        }
        try place.run("test ! -e made.age && keyfob verify -q && test $(keyfob token) = ADA").expectSuccess()
    }

    @Test("a process that may open few files ends with the limit's name")
    func processLimits() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ADA")
        for command in ["status", "verify", "add -a bob --host git.example"] {
            try place.run("printf x > in; ulimit -n 12; exec keyfob \(command) < in")
                .expectError(69, "may open 12 files", "ulimit -n")
        }
        try place.run("ulimit -n 63; exec keyfob agent").expectError(69, "may open 63 files and needs 64", "ulimit -n")
        try place.run("ulimit -s 64; exec keyfob status").expectError(69, "a stack of 64 KB", "ulimit -s")
        try place.run("ulimit -d 8000; exec keyfob status").expectError(69, "8000 KB of data", "ulimit -d")
        try place.run("keyfob verify -q && test $(keyfob token) = ADA").expectSuccess()
    }
}
