import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

@Suite("Transcripts", .waitsForPrograms)
struct TranscriptTests {
    /// Each transcript on one kind of terminal, in a full run on all of them.
    private static let runs = Transcript.all.enumerated().flatMap { number, transcript in
        (TestLength.isFull ? Screen.all : [Screen.all[number % Screen.all.count]]).map { (transcript, $0) }
    }

    @Test("it goes as it is written down in any locale, and its tables keep to the terminal", arguments: runs)
    func transcript(_ transcript: Transcript, on screen: Screen) throws {
        let place = try Workplace(screen.locale.variables)
        try place.write("cache.json", SampleCache(people: 2).json())
        var documents = Documents()
        var exports: [String] = []
        for step in transcript.steps {
            if step.command.hasPrefix("export ") {
                exports.append(step.command)
                continue
            }
            let outcome = try place.run((exports + [step.command]).joined(separator: "\n"))
            let what = "\(transcript) \(outcome)"
            #expect(outcome.status == step.status, "\(what)")
            try compare(outcome.text, step.output, &documents, what, place)
            try compare(outcome.errors, step.errors, &documents, what, place)
            if step.showsTable {
                let line = (exports + ["exec 2> /dev/null", step.command]).joined(separator: "\n")
                let run = try place.onTerminal(line, on: screen)
                #expect(run.status == step.status, "\(transcript) \(run)")
                screen.expectKept(run)
            }
        }
        try documents.validate(in: place)
    }

    private func compare(
        _ text: String, _ expected: [String], _ documents: inout Documents, _ what: String, _ place: Workplace
    ) throws {
        if let name = expected.first?.wholeMatch(of: /\{([a-z-]+)\}/)?.output.1, expected.count == 1 {
            documents.add(String(name), text, from: what)
            return
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        #expect(try LinePattern.fits(lines, expected, path: place.path), "\(what)\nexpected: \(expected)")
        #expect(!lines.contains { $0.hasSuffix(" ") }, "space at the end of a line: \(what)")
    }

    @Test("there is a transcript of every command")
    func everyCommand() throws {
        let typed = Transcript.all.flatMap(\.steps).map(\.command).joined(separator: "\n")
        for words in try CommandList.all() where words.isLeaf {
            #expect(typed.contains(words.line), "no transcript runs '\(words.line)'")
        }
    }

    @Test("every command has a help with an example, in lines of 80 columns", arguments: try CommandList.all())
    func help(_ words: CommandList.Words) throws {
        let outcome = try Workplace().run("\(words.line) --help").expectSuccess()
        #expect(outcome.errors.isEmpty)
        #expect(outcome.text.contains("Example"), "\(outcome)")
        #expect(outcome.text.contains("USAGE: \(words.line)"), "\(outcome)")
        for line in outcome.text.split(separator: "\n").map(String.init) where !Screen.isOnePiece(line) {
            #expect(DisplayWidth.of(line) <= 80, "\(line)")
        }
    }
}
