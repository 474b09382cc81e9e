import Testing

@testable import KeyfobCLI

/// An example is pasted as it is shown, so no line of it may be broken on the way to a terminal of 80 columns.
@Suite("The examples in the help of the commands")
struct HelpExampleTests {
    /// What is wrong with the examples of a text of help.
    private static func faults(in text: String) -> [String] {
        var (faults, last, isExample): ([String], Substring, Bool) = ([], "", false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard isExample, line.hasPrefix("  ") else {
                if last.hasSuffix("\\") { faults.append("nothing follows: \(last)") }
                (isExample, last) = (line == "Example:", "")
                continue
            }
            let isContinuation = line.hasPrefix("    ")
            if line.count > HelpText.widest { faults.append("too wide: \(line)") }
            if isContinuation != last.hasSuffix("\\") { faults.append("continued without '\\', or not: \(line)") }
            last = line
        }
        return last.hasSuffix("\\") ? faults + ["nothing follows: \(last)"] : faults
    }

    @Test("fit into 80 columns, and go on only after a backslash")
    func examples() throws {
        let discussions = try CommandDescription.ofKeyfob().withSubcommands.compactMap(\.discussion)
        #expect(discussions.count { $0.contains("\nExample:\n") } > 80)
        #expect(discussions.flatMap(Self.faults(in:)) == [])
    }

    @Test(
        "are told where they do not",
        arguments: [
            "  keyfob bind --directory . \(String(repeating: "a", count: 53))", "  keyfob bind ada\n    --here",
            "  keyfob bind ada \\\n  --here", "  keyfob bind ada \\\n\nExit status: 0", "  keyfob bind ada \\",
        ])
    func unsound(example: String) {
        #expect(Self.faults(in: "What it does.\n\nExample:\n\(example)").count == 1)
    }
}
