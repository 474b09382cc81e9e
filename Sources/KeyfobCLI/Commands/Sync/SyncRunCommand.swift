internal import ArgumentParser
internal import Keyfob

struct SyncRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Take in what others have written, and write what is new here.",
        discussion: """
            'keyfob sync' does the same. It may be run by a timer and by several processes, and be killed at any moment. What is \
            wrong with one device stops what comes from it and nothing else, and is told until 'keyfob sync accept'.
            With --watch it goes on until it is ended (Ctrl-C, SIGTERM), and then ends with 0: it synchronises when an account \
            changes here, when a folder changes or etcd tells of a change, and for all else every minute, or as often as \
            --every says. A remote that cannot be reached is tried again after growing pauses. It needs a key that it can use \
            without asking ('systemctl --user enable --now keyfob-sync-watch.service').

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
        if watch { return try SyncWatch(options, everySeconds: every).run() }
        let (keyring, transport) = try options.open()
        let report = try transport.synchronise(keyring)
        global.tellWarnings(of: keyring)
        try SyncText.tell(report, global)
        if report.status.findings.contains(where: \.stays) { throw ReportedFailure(status: .malformed) }
    }
}
