import Foundation

/// What a person types, and what comes out.
///
///     # a remark
///     $ keyfob status          a command; `$ export NAME=VALUE` holds for those that follow
///     vault   <path>/data      its lines on standard output, with placeholders
///     ! a warning              its lines on standard error
///     [0]                      its status; 0 unless it stands there
///
/// Placeholders: `<id>` `<slot>` `<time>` (RFC 3339) `<local>` (of this machine) `<when>` (`3 s ago`) `<path>` `<key>` `<n>`
/// `<any>`; a line `<…>` stands for any number of lines. A line `{status}` stands for a whole document that follows
/// `Schemas/status.schema.json`.
struct Transcript: CustomStringConvertible, Sendable {
    struct Step: Sendable {
        let command: String
        var output: [String] = []
        var errors: [String] = []
        var status: Int32 = 0

        /// Whether it prints a table and changes nothing.
        var showsTable: Bool {
            command.contains(/^keyfob (?:[a-z]+ )?(?:list|status|show|which|bindings|log|whoami)(?: [^|&;<>]*)?$/)
                && !command.contains(/--(json|wide)/) && output.contains { $0.contains(/^[A-Z][A-Z ]+  +[A-Z]/) }
        }
    }

    let name: String
    let steps: [Step]

    var description: String { name }

    /// All transcripts, by name.
    static let all: [Transcript] = {
        let folder = ProjectFolder.tests.appending(path: "Transcripts")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().compactMap { name in
            let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return text.map { Transcript(name: String(name.dropLast(4)), text: $0) }
        }
    }()

    init(name: String, text: String) {
        var steps: [Step] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                continue
            }
            guard var step = steps.popLast() else { continue }
            if line.hasPrefix("# ") || line == "#" {
                // A remark.
            } else if line == "!" || line.hasPrefix("! ") {
                step.errors.append(String(line.dropFirst(2)))
            } else if let status = line.wholeMatch(of: /\[(\d+)\]/)?.output.1 {
                step.status = Int32(status) ?? -1
            } else {
                step.output.append(line)
            }
            steps.append(step)
        }
        self.name = name
        self.steps = steps.map { step in
            var step = step
            // Empty lines before the next command are there for the reader.
            while step.output.last == "" { step.output.removeLast() }
            return step
        }
    }
}

/// Compares lines with what they should look like.
enum LinePattern {
    private static let placeholders: [(String, String)] = [
        ("<id>", "[0-9a-f]{32}"), ("<slot>", "[0-9a-f]{8}"), ("<n>", "[0-9]+"), ("<any>", ".*"),
        ("<time>", "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"),
        ("<local>", "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}"),
        ("<when>", "(?:[0-9]+ (?:s|min|h|days) ago|in [0-9]+ (?:s|min|h|days))"),
        ("<key>", "AGE-SECRET-KEY-PQ-1[A-Z0-9]{58}"),
    ]

    /// Whether `lines` fit `expected`, in a workplace at `path`.
    static func fits(_ lines: [String], _ expected: [String], path: String) throws -> Bool {
        guard let first = expected.first else { return lines.isEmpty }
        let rest = Array(expected.dropFirst())
        if first == "<…>" {
            return try (0...lines.count).contains { try fits(Array(lines.dropFirst($0)), rest, path: path) }
        }
        guard let line = lines.first, try fits(line, first, path: path) else { return false }
        return try fits(Array(lines.dropFirst()), rest, path: path)
    }

    private static func fits(_ line: String, _ expected: String, path: String) throws -> Bool {
        let expected = expected.replacing("<path>", with: path)
        // Regular expressions are slow, and most lines have no placeholder.
        guard expected.contains("<") else { return line == expected }
        var pattern = ""
        var rest = expected[...]
        while let character = rest.first {
            if let (name, part) = placeholders.first(where: { rest.hasPrefix($0.0) }) {
                pattern += part
                rest = rest.dropFirst(name.count)
            } else {
                if !character.isLetter, !character.isNumber, character.isASCII { pattern += "\\" }
                pattern.append(character)
                rest = rest.dropFirst()
            }
        }
        return try line.wholeMatch(of: Regex(pattern)) != nil
    }
}
