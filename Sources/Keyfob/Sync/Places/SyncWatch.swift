internal import KeyfobFiles
internal import KeyfobModel
internal import Synchronization

/// Synchronises whenever there may be something new.
///
/// What is new here shows at the vault's database; what is new elsewhere, in the folder, or by etcd's word. All else is looked
/// for from time to time: a network's disk and a git repository tell nothing.
final class SyncWatch {
    /// How long several changes in a row are taken for one, in milliseconds.
    private static let settling: Int64 = 20
    /// How long nothing is tried after a failure, at first and at most, in milliseconds.
    private static let pauses: ClosedRange<Int64> = 500...60_000

    private let keyring: Keyring
    private let access: SyncAccess
    private let remote: SyncRemote
    private let interval: Int64
    private let end: CInt
    private let tell: @Sendable (Keyring.Sync.Watched) -> Void
    private let bell: ChangeBell
    /// What rings for changes at etcd; it may take a while to notice that it is to end.
    private var watching: Task<Void, Never>?
    private let gate = Gate()
    /// The folders of other devices that are watched.
    private var watched: Set<String> = []

    /// Whether there is a bell to ring.
    private final class Gate: Sendable {
        private let isOpen = Mutex(true)

        func ring(_ ringer: ChangeBell.Ringer) { isOpen.withLock { if $0 { ringer.ring() } } }

        func close() { isOpen.withLock { $0 = false } }
    }

    fileprivate init(
        _ keyring: Keyring, _ access: SyncAccess, seconds: Int, end: CInt,
        _ tell: @escaping @Sendable (Keyring.Sync.Watched) -> Void
    ) throws(KeyringError) {
        (self.keyring, self.access, self.end, self.tell) = (keyring, access, end, tell)
        remote = try SyncRemote(try keyring.sync.remote())
        interval = Int64(seconds) * 1_000
        do { bell = try ChangeBell() } catch { throw KeyringError(error) }
        bell.watch(keyring.location.vault)
    }

    fileprivate func run() async throws(KeyringError) {
        defer {
            watching?.cancel()
            gate.close()
        }
        var pause = Self.pauses.lowerBound
        var hasFailed = false
        while !Task.isCancelled {
            do throws(KeyringError) {
                let report = try await synchronise()
                if hasFailed { tell(.recovered) }
                tell(.synchronised(report))
                (hasFailed, pause) = (false, Self.pauses.lowerBound)
                if !waits(interval) { return }
            } catch {
                guard error.mayPass else { throw error }
                hasFailed = true
                tell(.failed(error))
                if !waits(pause, mayBeRung: false) { return }
                pause = min(2 * pause, Self.pauses.upperBound)
            }
        }
    }

    private func synchronise() async throws(KeyringError) -> SyncReport {
        // Before it is read: what comes later rings.
        if case .folder(let path) = remote { bell.watch(path + "/devices") }
        let transport = try remote.transport(for: keyring, access)
        let report = try await transport.synchronise(keyring)
        switch (remote, transport) {
        case (.folder(let path), _):
            bell.watch(path + "/devices")
            let others = Set(report.status.otherFolders)
            for folder in others { bell.watch(path + "/" + folder) }
            // Something may have come to a folder since it was read for the first time.
            if !others.isSubset(of: watched) { bell.ringer.ring() }
            watched = others
        case (_, let etcd as SyncEtcdTransport) where watching == nil:
            let (watch, ringer) = (etcd.watch(besides: report.status.ownFolder), bell.ringer)
            watching = Task { [gate] in await watch.run { gate.ring(ringer) } }
        default: break
        }
        return report
    }

    /// Waits until there may be something to do; whether it is to go on.
    private func waits(_ milliseconds: Int64, mayBeRung: Bool = true) -> Bool {
        let event = bell.wait(or: end, milliseconds: milliseconds) { mayBeRung && Self.isMeant($0) }
        guard mayBeRung, event == .rung else { return event != .readable }
        return bell.wait(or: end, milliseconds: Self.settling) { _ in false } != .readable
    }

    /// Whether a file may have something new: the vault's database, what others have written, and a folder of another one.
    private static func isMeant(_ name: String) -> Bool {
        name == "keyring.db" || name.hasSuffix(".age") || name.wholeMatch(of: /[0-9a-f]{24}/) != nil
    }
}

extension Keyring.Sync {
    /// What is told by who watches.
    package enum Watched: Sendable {
        /// The place was synchronised with.
        case synchronised(SyncReport)
        /// It was not; that is tried again after a while.
        case failed(KeyringError)
        /// It can be again, after it could not; the report follows.
        case recovered
    }

    /// Synchronises whenever something changes here or at the place, and from time to time.
    ///
    /// - Parameters:
    ///   - seconds: How often at least.
    ///   - end: A descriptor that ends it once it has something to read.
    ///   - tell: Told of each synchronisation, on some thread.
    /// - Throws: As ``run(_:)``, for what no later try mends.
    package func watch(
        _ access: SyncAccess, everySeconds seconds: Int, until end: CInt, _ tell: @escaping @Sendable (Watched) -> Void
    ) async throws(KeyringError) {
        try await StoreCall.run { () async throws(KeyringError) in
            try await SyncWatch(keyring, access, seconds: seconds, end: end, tell).run()
        }
    }
}

extension KeyringError {
    /// Whether it may go better by itself.
    fileprivate var mayPass: Bool {
        [.offline, .busy, .noSuchFile, .throttled, .inputOutput, .diskFull].contains(code)
    }
}
