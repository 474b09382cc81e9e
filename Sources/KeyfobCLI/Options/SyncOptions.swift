internal import ArgumentParser
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

    /// Whether a program may ask on the terminal.
    var isAsking: Bool { !global.noInput && StandardError.isTerminal }

    /// Opens the keyring and what brings files to its remote.
    func open() throws(KeyringError) -> (keyring: Keyring, transport: any SyncTransport) {
        let (keyring, remote) = try openRemote()
        return (keyring, try remote.transport(for: keyring, self))
    }

    /// Opens the keyring, and says where its sync lies.
    func openRemote() throws(KeyringError) -> (keyring: Keyring, remote: SyncRemote) {
        let keyring = try global.unlockedKeyring(reaching: .everything)
        let remote = try SyncRemote(try keyring.sync.remote())
        remote.confine(keyring)
        return (keyring, remote)
    }
}
