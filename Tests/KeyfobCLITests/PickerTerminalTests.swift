import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

@Suite("The picker on a terminal", .waitsForPrograms)
struct PickerTerminalTests {
    /// What a person does, or what is looked at.
    enum Step: Encodable {
        case await(String)
        case type(String)
        case shot
        case resize(Int, Int)
        case signal(String)
        case hang

        private enum Key: String, CodingKey {
            case await, type, shot, resize, signal, hang
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            switch self {
            case .await(let text): try container.encode(text, forKey: .await)
            case .type(let text): try container.encode(text, forKey: .type)
            case .shot: try container.encode(true, forKey: .shot)
            case .resize(let columns, let rows): try container.encode([columns, rows], forKey: .resize)
            case .signal(let name): try container.encode(name, forKey: .signal)
            case .hang: try container.encode(true, forKey: .hang)
            }
        }
    }

    /// What came of it.
    struct Run: Decodable {
        /// The exit status; the negative number of the signal that ended the command; nil when it had to be stopped.
        let status: Int32?
        let shots: [[String]]
        let isRestored: Bool
        let modes: [String: Bool]
        let hasLooks: Bool
        let missed: String?
    }

    /// A home with three accounts, which nothing distinguishes yet.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        for name in ["ada", "bob", "山田"] { try place.add(name, token: "token") }
        return place
    }

    /// Runs `line` on a terminal of that size, and expects that the terminal is left as it was.
    private func pick(
        _ place: Workplace, running line: String = "keyfob pick > out 2> err", columns: Int = 80, rows: Int = 24,
        location: SourceLocation = #_sourceLocation, _ steps: Step...
    ) throws -> Run {
        try pick(place, running: line, columns: columns, rows: rows, location: location, steps)
    }

    private func pick(
        _ place: Workplace, running line: String = "keyfob pick > out 2> err", columns: Int = 80, rows: Int = 24,
        location: SourceLocation = #_sourceLocation, _ steps: [Step]
    ) throws -> Run {
        struct Task: Encodable {
            let line: String
            let columns: Int
            let rows: Int
            let steps: [Step]
        }
        let task = try JSONEncoder().encode(Task(line: line, columns: columns, rows: rows, steps: steps))
        let outcome = try place.python("picker_terminal", input: task)
        let run = try JSONDecoder().decode(Run.self, from: outcome.output)
        #expect(run.missed == nil && run.status != nil, "\(run)", sourceLocation: location)
        #expect(run.isRestored, "\(run)", sourceLocation: location)
        return run
    }

    /// The same for `keyfob pick` on a terminal of some kind, with looks only where it has colour.
    private func pick(
        _ place: Workplace, on screen: Screen, location: SourceLocation = #_sourceLocation, _ steps: Step...
    ) throws -> Run {
        try place.write("io/pick.sh", screen.line("exec keyfob pick > out 2> err"))
        let run = try pick(place, running: "sh io/pick.sh", columns: screen.columns, location: location, steps)
        #expect(run.hasLooks == screen.isColored, "\(run)", sourceLocation: location)
        for shot in run.shots {
            for row in shot { #expect(DisplayWidth.of(row) <= screen.columns, "\(shot)", sourceLocation: location) }
        }
        return run
    }

    /// The other screen, marked pastes, no lines that go on in the next: all off; the cursor is seen.
    private func expectLeft(_ run: Run, location: SourceLocation = #_sourceLocation) {
        let left = ["1049": false, "2004": false, "7": true, "25": true]
        #expect(run.modes == left, "\(run)", sourceLocation: location)
    }

    @Test("what is typed narrows the list, and Enter prints the account", arguments: Screen.all)
    func choosing(screen: Screen) throws {
        let place = try home()
        let run = try pick(place, on: screen, .await("3/3"), .type("bob"), .await("1/3"), .shot, .type("\r"))
        #expect(run.status == 0, "\(run)")
        #expect(try place.read("out") == Data("bob@git.example\n".utf8))
        let told = try String(decoding: place.read("err"), as: UTF8.self)
        #expect(told.hasPrefix("remembered for ") && told.contains("bob is taken there"), "\(told)")
        let shot = run.shots.first ?? []
        #expect(shot.contains { $0.hasPrefix("Account> bob") } && shot.contains { $0.hasPrefix("> bob") }, "\(shot)")
        expectLeft(run)
    }

    @Test("arrows move the mark, wide names take wide queries", arguments: Screen.all)
    func moving(screen: Screen) throws {
        let place = try home()
        let run = try pick(
            place, on: screen, .await("3/3"), .type("\u{1B}[B\u{E}\u{1B}OA"), .type("山"), .await("1/3"), .shot,
            .type("\u{15}"), .await("3/3"), .type("\u{1B}[F"), .shot, .type("\r"))
        #expect(run.status == 0, "\(run)")
        #expect(run.shots.first?.contains { $0.hasPrefix("> " + screen.shown("山田")) } == true, "\(run)")
        expectLeft(run)
        let name = String(decoding: try place.read("out"), as: UTF8.self).split(separator: "@").first ?? ""
        let chosen = screen.shown(String(name))
        #expect(run.shots.last?.contains { $0.hasPrefix("> \(chosen)") } == true, "\(run)")
    }

    @Test("Escape, Ctrl-C, Ctrl-G and Ctrl-D cancel", arguments: ["\u{1B}", "\u{3}", "\u{7}", "\u{4}", "bo\u{3}"])
    func cancelling(keys: String) throws {
        let place = try home()
        let run = try pick(place, .await("3/3"), .type(keys))
        #expect(run.status == 15, "\(run)")
        #expect(try place.read("out").isEmpty)
        #expect(try String(decoding: place.read("err"), as: UTF8.self).hasPrefix("keyfob: cancelled"))
        expectLeft(run)
    }

    @Test(
        "a signal ends it as signals do, and leaves the terminal as it was",
        arguments: [("TERM", SIGTERM), ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT)])
    func signals(name: String, number: Int32) throws {
        let place = try home()
        let run = try pick(place, .await("3/3"), .signal(name))
        #expect(run.status == -number, "\(run)")
        #expect(try place.read("out").isEmpty)
        expectLeft(run)
    }

    @Test("a signal that was to be ignored is ignored")
    func ignoredSignal() throws {
        let place = try home()
        let run = try pick(
            place, running: "sh -c 'trap \"\" HUP; exec keyfob pick > out 2> err'", .await("3/3"), .signal("HUP"),
            .type("bob"),
            .await("1/3"), .type("\r"))
        #expect(run.status == 0, "\(run)")
        expectLeft(run)
    }

    @Test("it follows the size of the terminal down to a line and back")
    func resizing() throws {
        let place = try home()
        let run = try pick(
            place, .await("3/3"), .type("bob"), .await("1/3"), .resize(40, 10), .await("1/3"), .shot, .resize(20, 2),
            .await("> bob"), .shot, .resize(100, 30), .await("Ctrl-U"), .shot, .type("\r"))
        #expect(run.status == 0 && run.shots.map(\.count) == [10, 2, 30], "\(run)")
        for shot in run.shots { #expect(shot.contains { $0.hasPrefix("> bob") }, "\(shot)") }
        expectLeft(run)
    }

    @Test("a stop and a continuation draw the list again", arguments: [["TSTP"], ["CONT"], ["TSTP", "CONT"]])
    func stopping(names: [String]) throws {
        let place = try home()
        // What the stop leaves behind is a screen that was cleared: to see the list is to see it drawn again.
        var steps = [Step.await("3/3"), .type("bob"), .await("1/3")]
        for name in names { steps += [.signal(name), .shot] }
        steps += [.await("1/3"), .type("\r")]
        let run = try pick(place, steps)
        #expect(run.status == 0, "\(run)")
        #expect(try place.read("out") == Data("bob@git.example\n".utf8))
        expectLeft(run)
    }

    @Test("where the terminal cannot be drawn on, the accounts have numbers")
    func numbers() throws {
        let place = try home()
        let run = try place.onTerminal(
            "env TERM=dumb keyfob pick > out", [("Its number, 1 to 3: ", "9\n"), ("Its number, 1 to 3: ", "2\n")])
        #expect(run.status == 0 && !run.screen.contains("\u{1B}") && run.screen.contains("  2  "), "\(run)")
        #expect(try place.read("out").count > 3)
        let none = try place.onTerminal("env TERM=dumb keyfob pick > out", [("Its number, 1 to 3: ", "\n")])
        #expect(none.status == 15, "\(none)")
    }

    @Test(
        "without colour no look is asked for",
        arguments: ["env NO_COLOR=1 keyfob pick", "keyfob --color never pick"])
    func colorless(line: String) throws {
        let run = try pick(home(), running: line + " > out", .await("3/3"), .shot, .type("\u{1B}"))
        #expect(run.status == 15 && !run.hasLooks, "\(run)")
        #expect(run.shots.first?.contains { $0.hasPrefix("> ") } == true, "\(run)")
        expectLeft(run)
    }

    @Test("with colour the marked account has a look")
    func colored() throws {
        let run = try pick(
            home(), running: "env TERM=xterm-256color keyfob --color always pick", .await("3/3"), .type("\u{1B}"))
        #expect(run.hasLooks, "\(run)")
        expectLeft(run)
    }

    @Test("a paste is a query: its lines choose nothing")
    func pasting() throws {
        let place = try home()
        let run = try pick(
            place, .await("3/3"), .type("\u{1B}[200~bob\r\u{3}\u{1B}[201~"), .await("1/3"), .shot, .type("\r"))
        #expect(run.status == 0, "\(run)")
        #expect(run.shots.first?.contains { $0.hasPrefix("Account> bob") } == true, "\(run)")
        #expect(try place.read("out") == Data("bob@git.example\n".utf8))
    }

    @Test("it ends when the terminal goes away")
    func hangingUp() throws {
        let place = try home()
        let run = try pick(place, .await("3/3"), .hang)
        #expect(run.status == -SIGHUP || run.status == 69, "\(run)")
        #expect(try place.read("out").isEmpty)
    }

    @Test("without a terminal it says so")
    func noTerminal() throws {
        try home().run("keyfob pick").expectError(69, "no terminal")
    }
}
