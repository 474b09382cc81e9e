internal import FoundationEssentials
public import KeyfobModel
public import KeyfobOAuth

// A sync with the place of its files: a folder, a git repository, a place of rclone's, or etcd. What comes from there and goes
// there is brought along; the calls with a folder are for who brings the files by other means.
extension Keyring.Sync {
    /// Takes in what other devices have written, and writes for them what is new here, at the place of the sync.
    ///
    /// - Throws: As ``run(through:)``; `offline`, `unavailable`, `untrustedCertificate` or `limitExceeded` by the place.
    public func run(_ access: SyncAccess) async throws(KeyringError) -> SyncReport {
        try await StoreCall.run { () async throws(KeyringError) in
            try await openTransport(access).synchronise(keyring)
        }
    }

    /// The same over a network.
    public func run(network: Network) async throws(KeyringError) -> SyncReport {
        try await run(SyncAccess(network: { network }))
    }

    /// Begins a sync at a place, of which this vault is the first device.
    ///
    /// - Parameters:
    ///   - place: A folder, a git repository, `rclone:REMOTE:PATH`, or `etcd+https://HOST,…/PREFIX`.
    ///   - name: What the others call this machine; nil for its host name.
    /// - Throws: As ``begin(at:named:)`` and ``run(_:)``; `usage` for what is no place, `alreadyExists` for one where there is a
    ///   sync.
    public func begin(
        at place: String, named name: String? = nil, _ access: SyncAccess
    ) async throws(KeyringError) -> SyncReport {
        let remote = try SyncRemote(place)
        if let name { try NewName.device.require(name) }
        return try await StoreCall.run { () async throws(KeyringError) in
            try requireNoSync()
            let transport = try remote.transport(for: keyring, access)
            do throws(KeyringError) {
                try await transport.fetch()
            } catch  where error.code == .noSuchFile {
                throw remote.isToBeMade(error)
            }
            let files = try SyncFolder(transport.folder)
            guard !files.devices().contains(where: { !files.heads(of: $0).isEmpty }) else {
                throw KeyringError(.alreadyExists, "there is a sync at \(remote.text) already", advice: .joinSync)
            }
            try begin(at: remote.text, named: name ?? SyncRemote.hostName)
            return try await transport.synchronise(keyring)
        }
    }

    /// Asks at a place to be let into its sync.
    ///
    /// - Parameters:
    ///   - place: As in ``begin(at:named:_:)``.
    ///   - words: The six words of a device of the sync; nil to give them later.
    ///   - groups: For which groups that device is trusted; nil for all.
    /// - Throws: As ``join(at:named:trusting:groups:through:)`` and ``run(_:)``; `usage` for what is no place.
    public func join(
        at place: String, named name: String? = nil, trusting words: String?, groups: [AccessGroup]? = nil,
        _ access: SyncAccess
    ) async throws(KeyringError) -> SyncStatus {
        let remote = try SyncRemote(place)
        return try await StoreCall.run { () async throws(KeyringError) in
            let transport = try remote.transport(for: keyring, access)
            do throws(KeyringError) {
                return try await transport.attempt { () throws(KeyringError) in
                    try join(
                        at: remote.text, named: name, trusting: words, groups: groups, through: transport.folder)
                    let status = try status()
                    return (status, status.ownFolder)
                }
            } catch  where error.code == .noSuchFile {
                throw error.saying(error.message, advice: .namePlace)
            }
        }
    }

    /// Lets a device in, and synchronises.
    ///
    /// - Throws: As ``approve(_:groups:through:)`` and ``run(_:)``.
    public func approve(
        _ words: String, groups: [AccessGroup]? = nil, _ access: SyncAccess
    ) async throws(KeyringError) -> (change: SyncChange, report: SyncReport) {
        try await StoreCall.run { () async throws(KeyringError) in
            let transport = try openTransport(access)
            try await transport.fetch()
            let change = try approve(words, groups: groups, through: transport.folder)
            return (change, try await transport.synchronise(keyring))
        }
    }

    /// Keeps a device out from now on, and synchronises.
    ///
    /// - Throws: As ``revoke(_:keeping:)`` and ``run(_:)``.
    public func revoke(
        _ device: String, keeping kept: [String] = [], _ access: SyncAccess
    ) async throws(KeyringError) -> (change: SyncChange, report: SyncReport) {
        try await StoreCall.run { () async throws(KeyringError) in
            let transport = try openTransport(access)
            try await transport.fetch()
            let change = try revoke(device, keeping: kept)
            return (change, try await transport.synchronise(keyring))
        }
    }

    /// Takes part in the sync no more: tells the others, and forgets it here.
    ///
    /// - Parameter access: Nil where the others are not to be told, for a place that is gone.
    /// - Throws: As ``leave(through:)``, ``forget()`` and ``run(_:)``.
    public func leave(telling access: SyncAccess?) async throws(KeyringError) {
        try await StoreCall.run { () async throws(KeyringError) in
            if let access {
                let transport = try openTransport(access)
                _ = try await transport.attempt { () throws(KeyringError) in
                    let status = try leave(through: transport.folder)
                    return (status, status.ownFolder)
                }
            }
            try forget()
            try? FileManager.default.removeItem(atPath: SyncRemote.place(of: keyring))
        }
    }

    /// Takes in everything that was told, also what was taken in before, and writes everything for the others.
    ///
    /// For machines that have taken in the same and hold something else (``SyncStatus/Finding/Remedy/repair``). Of two values with
    /// the same version all machines take the same one.
    ///
    /// - Throws: As ``run(_:)``; `configuration` where this device does not take part.
    public func repair(_ access: SyncAccess) async throws(KeyringError) -> SyncReport {
        try await StoreCall.run { () async throws(KeyringError) in
            let transport = try openTransport(access)
            try await transport.fetch()
            try readAgain()
            return try await transport.synchronise(keyring)
        }
    }

    /// What is known of the sync, with who asks to be let in.
    ///
    /// - Parameter access: How to look at the place for that first; nil to see what was there the last time.
    /// - Throws: As ``status(through:)`` and ``run(_:)``.
    public func status(fetching access: SyncAccess?) async throws(KeyringError) -> SyncStatus {
        try await StoreCall.run { () async throws(KeyringError) in
            let remote = try SyncRemote(try remote())
            if let access {
                let transport = try remote.transport(for: keyring, access)
                try await transport.fetch()
                return try status(through: transport.folder)
            }
            if case .folder(let path) = remote { return try status(through: path) }
            return try status(through: SyncRemote.place(of: keyring) + "/tree")
        }
    }

    /// What brings files to the place that is set up, and back.
    private func openTransport(_ access: SyncAccess) throws(KeyringError) -> any SyncTransport {
        try SyncRemote(try remote()).transport(for: keyring, access)
    }
}
