internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal
internal import Synchronization

struct SyncRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Take in what others have written, and write what is new here.",
        discussion: """
            'keyfob sync' does the same. It may be run by a timer and by several processes, and be killed at any moment. What is \
            wrong with one device stops what comes from it and nothing else, and is told until 'keyfob sync accept'. Where two \
            have taken in the same and hold something else, 'keyfob sync repair' makes them alike. It ends with 65 in both \
            cases, and where this machine was revoked or another sync began at the same place.
            With --watch it goes on until it is ended (Ctrl-C, SIGTERM), and then ends with 0: it synchronises when an account \
            changes here, when a folder changes or etcd tells of a change, and for all else every minute, or as often as \
            --every says. A remote that cannot be reached is tried again after growing pauses. It needs a key that it can use \
            without asking ('systemctl --user enable --now keyfob-sync-watch.service').

            'keyfob undo' does not undo this: what another machine has changed is undone there.

            Example:
              keyfob sync
              keyfob sync --watch
            """)

    @Flag(name: .long, help: "Go on, and synchronise whenever something changes.") var watch = false
    @Option(
        name: .long,
        help: ArgumentHelp("With --watch, synchronise at least as often (60).", valueName: "seconds"))
    var every: Int?
    @OptionGroup var options: SyncOptions

    func validate() throws {
        if watch, options.global.json { throw ValidationError("--watch prints no document") }
        if every != nil, !watch { throw ValidationError("--every is for --watch") }
        if let every, !(1...86_400).contains(every) { throw ValidationError("--every is 1 to 86400 seconds") }
    }

    func run() throws {
        let global = options.global
        let keyring = try options.open()
        if watch { return try goOn(keyring) }
        let report = try NetworkTask.run { [access = options.access] () async throws(KeyringError) in
            try await keyring.sync.run(access)
        }
        global.tellWarnings(of: keyring)
        try SyncText.tell(report, global)
        if report.needsAttention { throw ReportedFailure(status: .malformed) }
    }

    /// Synchronises until a signal comes.
    private func goOn(_ keyring: Keyring) throws {
        let signals = try SignalPipe.ofEnd()
        let (descriptor, seconds, news) = (
            signals.descriptor, every ?? Self.usualSeconds, SyncNews(options.global, keyring)
        )
        try NetworkTask.run { [access = options.access] () async throws(KeyringError) in
            try await keyring.sync.watch(access, everySeconds: seconds, until: descriptor) { news.tell($0) }
        }
        _ = consume signals
    }

    private static let usualSeconds = 60
}

/// What is told of a sync that goes on: what is new.
private final class SyncNews: Sendable {
    private struct State {
        /// What was told, and is so still.
        var warnings: Set<String> = []
        var failure: String?
        var sync: SyncStatus.State?
    }

    private let global: GlobalOptions
    private let keyring: Keyring
    private let state = Mutex(State())

    init(_ global: GlobalOptions, _ keyring: Keyring) { (self.global, self.keyring) = (global, keyring) }

    func tell(_ event: Keyring.Sync.Watched) {
        state.withLock { state in
            switch event {
            case .recovered:
                global.say("synchronising again")
                state.failure = nil
            case .failed(let error):
                if state.failure != error.message {
                    StandardError.write(
                        line: "keyfob: warning: \(TerminalText.line(error.message)); it is tried again by itself")
                }
                state.failure = error.message
            case .synchronised(let report): tell(report, &state)
            }
        }
    }

    private func tell(_ report: SyncReport, _ state: inout State) {
        global.tellWarnings(of: keyring)
        let warnings = SyncText.warnings(report)
        for line in warnings where !state.warnings.contains(line) {
            StandardError.write(line: "keyfob: warning: \(line)")
        }
        state.warnings = Set(warnings)
        let isNews =
            report.changed > 0 || report.hasPublished || !report.removedDecisions.isEmpty || !report.left.isEmpty
            || !report.changedGroups.isEmpty
        if isNews || report.status.state != state.sync {
            for line in SyncText.lines(report) { global.say(line) }
        }
        state.sync = report.status.state
    }
}
