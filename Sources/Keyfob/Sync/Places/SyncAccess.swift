internal import FoundationEssentials
internal import KeyfobModel
public import KeyfobOAuth

/// How a sync reaches the place of its files.
public struct SyncAccess: Sendable {
    /// Opens the network; called only for a place that Keyfob reaches by itself, which is etcd.
    public var network: @Sendable () throws(KeyringError) -> Network
    /// How long a call of git or rclone may take, in seconds.
    public var programSeconds = 120
    /// Whether git and rclone may ask on the terminal.
    public var mayAsk = false
    /// The variables that git and rclone get, but for those of Keyfob's; `KEYFOB_ETCD_PASSWORD_FILE` among them names the file
    /// with the password of etcd's user.
    public var environment = ProcessInfo.processInfo.environment

    /// An access.
    public init(network: @escaping @Sendable () throws(KeyringError) -> Network) { self.network = network }
}

extension String {
    /// What another program or machine has said, as a part of one line that a terminal shows and obeys in nothing.
    var onOneLine: String {
        String(
            UnicodeScalarView(
                unicodeScalars.map { scalar in
                    scalar.value < 0x20 || scalar.value == 0x7F || Identifier.isInvisibleControl(scalar)
                        ? "\u{FFFD}" : scalar
                }))
    }
}
