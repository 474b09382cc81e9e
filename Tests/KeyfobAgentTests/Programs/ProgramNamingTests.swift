import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// The program that `program allow` names is the one that an agent sees: what the kernel starts for a word, without a single
/// instruction of it run, beside what the resolver says of the word.
@Suite("The program that is named is the one that is seen", .waitsForPrograms)
struct ProgramNamingTests {
    /// What became of words.
    private struct Tally {
        var (alike, refusedAlike, neverStarted) = (0, 0, 0)
        var kinds: Set<Program.Kind> = []
    }

    /// Compares words; a difference is an issue.
    private func compare(
        _ words: [String], _ resolver: ProgramResolver, _ starts: RecordedStarts
    ) throws -> Tally {
        var tally = Tally()
        for (number, word) in words.enumerated() {
            let seen = try starts.program(number)
            do throws(ProgramProblem) {
                let named = try resolver.program(word).program
                if let seen {
                    #expect(named == seen, "\(word)")
                    tally.kinds.insert(named.kind)
                    tally.alike += 1
                } else {
                    // What nobody can start by itself is at most a script that an interpreter is given.
                    #expect(named.kind == .script, "\(word)")
                    tally.neverStarted += 1
                }
                #expect(try resolver.names(word).contains(named), "\(word)")
            } catch {
                guard let seen else {
                    tally.neverStarted += 1
                    continue
                }
                switch error {
                case .seenAs(let program, _): #expect(program == seen, "\(word)")
                case .otherInstallation(_, let path): #expect(Program(.executable, path) == seen, "\(word)")
                default: Issue.record("\(word): \(error), and an agent sees \(seen)")
                }
                tally.refusedAlike += 1
            }
        }
        return tally
    }

    @Test(
        "over paths at random in /usr, /usr/local and ~/.local, with links among them",
        arguments: 1...UInt64(TestLength.rounds(1, full: 8)))
    func tree(seed: UInt64) throws {
        var tree = try ProgramTree(seed: seed, files: 160, links: 240)
        let words = (0..<900).map { _ in tree.word() }
        let resolver = ProgramResolver(
            searchPath: tree.searchPath, own: OwnPrograms(fullProgram: tree.ownFullProgram))
        // Of a script that is named from a folder an agent says nothing.
        let here = FileManager.default.currentDirectoryPath
        let started = words.map { $0.contains("/") && !$0.hasPrefix("/") ? "\(here)/\($0)" : $0 }
        let tally = try compare(words, resolver, RecordedStarts(started, searchPath: tree.searchPath))
        #expect(tally.alike > 400 && tally.refusedAlike > 40 && tally.neverStarted > 100, "\(tally)")
        #expect(tally.alike + tally.refusedAlike > 500 && tally.kinds == [.executable, .script], "\(tally)")
    }

    @Test("over the programs of this machine")
    func machine() throws {
        var random = SeededGenerator(seed: 7)
        let all = try FileManager.default.contentsOfDirectory(atPath: "/usr/bin").sorted().map { "/usr/bin/\($0)" }
            // By itself env becomes no other program, and ends.
            .filter { StartRule.isProgram($0) && $0 != "/usr/bin/env" }
        let words = Array(all.shuffled(using: &random).prefix(TestLength.rounds(300, full: 3_000)))
        let tally = try compare(
            words, ProgramResolver(searchPath: "/usr/bin:/bin"), RecordedStarts(words, searchPath: "/usr/bin:/bin"))
        #expect(tally.alike > words.count * 9 / 10, "\(tally)")
    }
}
