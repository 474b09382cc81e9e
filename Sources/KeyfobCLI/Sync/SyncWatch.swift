internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal
internal import Synchronization

/// Synchronises whenever there may be something new, until a signal ends it.
///
/// What is new here shows at the vault's database; what is new elsewhere, in the folder, or by etcd's word. All else is looked
/// for from time to time: a network's disk and a git repository tell nothing.
final class SyncWatch {
    /// How long several changes in a row are taken for one, in milliseconds.
    private static let settling: Int64 = 20
    private static let usualSeconds = 60
    /// How long nothing is tried after a failure, at first and at most, in milliseconds.
    private static let pauses: ClosedRange<Int64> = 500...60_000

    private let options: SyncOptions
    private let keyring: Keyring
    private let remote: SyncRemote
    private let interval: Int64
    private let bell: ChangeBell
    private let signals: SignalPipe
    /// What was told, and is so still.
    private var told: Set<String> = []
    private var stateTold: SyncStatus.State?
    private var isWatching = false
    /// The folders of other devices that are watched.
    private var watched: Set<String> = []

    init(_ options: SyncOptions, everySeconds: Int?) throws(KeyringError) {
        self.options = options
        interval = Int64(everySeconds ?? Self.usualSeconds) * 1_000
        (keyring, remote) = try options.openRemote()
        do { bell = try ChangeBell() } catch { throw KeyringError(error) }
        signals = try SignalPipe.ofEnd()
        bell.watch(keyring.location.vault)
    }

    /// Goes on until a signal comes.
    func run() throws(KeyringError) {
        var pause = Self.pauses.lowerBound
        var failure: String?
        while true {
            do throws(KeyringError) {
                try synchronise()
                if failure != nil { options.global.say("synchronising again") }
                (failure, pause) = (nil, Self.pauses.lowerBound)
                if !waits(interval) { return }
            } catch {
                guard error.mayPass else { throw error }
                if failure != error.message {
                    StandardError.write(
                        line: "keyfob: warning: \(TerminalText.line(error.message)); it is tried again by itself")
                }
                failure = error.message
                if !waits(pause, mayBeRung: false) { return }
                pause = min(2 * pause, Self.pauses.upperBound)
            }
        }
    }

    private func synchronise() throws(KeyringError) {
        // Before it is read: what comes later rings.
        if case .folder(let path) = remote { bell.watch(path + "/devices") }
        let transport = try remote.transport(for: keyring, options)
        let report = try transport.synchronise(keyring)
        options.global.tellWarnings(of: keyring)
        tell(report)
        switch (remote, transport) {
        case (.folder(let path), _):
            bell.watch(path + "/devices")
            let others = Set(report.status.otherFolders)
            for folder in others { bell.watch(path + "/" + folder) }
            // Something may have come to a folder since it was read for the first time.
            if !others.isSubset(of: watched) { bell.ringer.ring() }
            watched = others
        case (_, let etcd as SyncEtcdTransport) where !isWatching:
            isWatching = true
            let (watch, ringer) = (etcd.watch(besides: report.status.ownFolder), bell.ringer)
            // It ends with the process.
            Task { await watch.run { ringer.ring() } }
        default: break
        }
    }

    /// Tells what is new.
    private func tell(_ report: SyncReport) {
        let warnings = SyncText.warnings(report)
        for line in warnings where !told.contains(line) { StandardError.write(line: "keyfob: warning: \(line)") }
        told = Set(warnings)
        let isNews =
            report.changed > 0 || report.hasPublished || !report.removedDecisions.isEmpty || !report.left.isEmpty
        if isNews || report.status.state != stateTold {
            for line in SyncText.lines(report) { options.global.say(line) }
        }
        stateTold = report.status.state
    }

    /// Waits until there may be something to do; whether no signal came.
    private func waits(_ milliseconds: Int64, mayBeRung: Bool = true) -> Bool {
        let event = bell.wait(or: signals.descriptor, milliseconds: milliseconds) { mayBeRung && Self.isMeant($0) }
        guard mayBeRung, event == .rung else { return event != .readable }
        return bell.wait(or: signals.descriptor, milliseconds: Self.settling) { _ in false } != .readable
    }

    /// Whether a file may have something new: the vault's database, what others have written, and a folder of another one.
    private static func isMeant(_ name: String) -> Bool {
        name == "keyring.db" || name.hasSuffix(".age") || name.wholeMatch(of: /[0-9a-f]{24}/) != nil
    }
}

extension KeyringError {
    /// Whether it may go better by itself.
    fileprivate var mayPass: Bool {
        [.offline, .busy, .noSuchFile, .throttled, .inputOutput, .diskFull].contains(code)
    }
}
