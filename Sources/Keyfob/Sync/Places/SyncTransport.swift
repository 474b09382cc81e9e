internal import FoundationEssentials
internal import KeyfobModel

/// Brings the files of others here, and one's own to them.
protocol SyncTransport {
    /// Where the files lie on this machine.
    var folder: String { get }

    /// Brings what others have written.
    func fetch() async throws(KeyringError)

    /// Brings what was written into one's own folder to the others.
    ///
    /// - Returns: False where somebody else was faster: everything is to be done once more.
    func deliver(_ ownFolder: String) async throws(KeyringError) -> Bool
}

/// A folder that something else carries: Syncthing, a stick, a network's disk.
struct SyncFolderTransport: SyncTransport {
    let folder: String

    /// - Throws: `noSuchFile` where it is not there: a stick that is not plugged in is no reason to begin anew; `inputOutput`
    ///   where it is closed to this user.
    func fetch() throws(KeyringError) {
        if let closed = KeyringError.closed(folder, toWrite: true) { throw closed }
        let kind = try? FileManager.default.attributesOfItem(atPath: folder + "/.")[.type] as? FileAttributeType
        guard kind == .typeDirectory else {
            throw KeyringError(.noSuchFile, "there is no folder \(folder)", advice: .reachPlace)
        }
    }

    func deliver(_ ownFolder: String) -> Bool { true }
}

extension SyncTransport {
    /// How often a race is run.
    private var attempts: Int { 16 }

    /// Does something with the files, again where somebody else was faster.
    ///
    /// - Parameter body: Gives the folder that this device alone writes, beside its result.
    func attempt<Result>(
        _ body: () throws(KeyringError) -> (result: Result, ownFolder: String)
    ) async throws(KeyringError) -> Result {
        for _ in 0..<attempts {
            try await fetch()
            let (result, ownFolder) = try body()
            if try await deliver(ownFolder) { return result }
        }
        throw KeyringError(.busy, "others write to the remote all the time", advice: .tryAgain(.nothingLost))
    }

    /// Synchronises.
    func synchronise(_ keyring: Keyring) async throws(KeyringError) -> SyncReport {
        var total: SyncReport?
        return try await attempt { () throws(KeyringError) in
            let report = try keyring.sync.run(through: folder)
            let sum = total?.adding(report) ?? report
            total = sum
            return (sum, report.status.ownFolder)
        }
    }
}
