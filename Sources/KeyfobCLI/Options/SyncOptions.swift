internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobTerminal

/// How a sync reaches its remote.
struct SyncOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("How long a call of git or rclone may take (120).", valueName: "seconds"))
    var timeout = 120
    @OptionGroup(visibility: .hidden) var network: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout is 1 to 86400 seconds") }
    }

    /// How the remote is reached.
    var access: SyncAccess {
        var access = SyncAccess { [network] () throws(KeyringError) in try network.network() }
        (access.programSeconds, access.mayAsk) = (timeout, !global.noInput && StandardError.isTerminal)
        return access
    }

    /// Opens the keyring, and lets this process reach no more than the remote of its sync takes.
    func open() throws(KeyringError) -> Keyring {
        let keyring = try global.unlockedKeyring(reaching: .everything)
        try SyncRemote(try keyring.sync.remote()).confine(keyring)
        return keyring
    }
}

extension SyncRemote {
    /// Confines the process to what reaching the remote takes.
    ///
    /// - Parameter isNew: Whether the folder may be made.
    func confine(_ keyring: Keyring, isNew: Bool = false) {
        switch self {
        case .folder(let path):
            let parent = URL(filePath: path).deletingLastPathComponent().path
            if isNew, FileManager.default.fileExists(atPath: parent) {
                try? FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            }
            Reach.files(writing: path + "/devices").confine(keyring)
        case .etcd: Reach.network.confine(keyring)
        case .git, .rclone: Reach.everything.confine(keyring)
        }
    }
}
