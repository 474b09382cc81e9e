internal import KeyfobSync

/// What is in a bundle, and where it comes from.
public struct BundleSummary: Hashable, Sendable {
    /// `export`, `backup` or `sync`.
    public let purpose: String
    /// The id of the vault it comes from: 32 hexadecimal digits.
    public let vault: String
    /// The device that wrote it: 16 hexadecimal digits.
    public let device: String
    /// When, in milliseconds since 1970.
    public let milliseconds: Int64
    /// The groups it is of.
    public let groups: [AccessGroup]
    /// How many records of each kind: `account`, `credential`, `appMetadata`, `clientSecret`, `setting`, `foreign`,
    /// `tombstone`.
    public let counts: [String: Int]
    /// Whether it is a backup that was made with the key of the vault that it says it is of.
    ///
    /// A recovery key of that vault shows it, or the vault itself. Anybody can write a bundle for a public key.
    public let isOwners: Bool

    /// When, in seconds.
    public var created: Timestamp { Timestamp(seconds: milliseconds / 1_000) }
    /// How many records there are.
    public var records: Int { counts.values.reduce(0, +) }

    init(_ manifest: BundleManifest, isOwners: Bool = false) {
        self.isOwners = isOwners
        purpose = manifest.purpose.rawValue
        vault = Hexadecimal.text(manifest.vault)
        device = manifest.device.hexadecimal
        milliseconds = manifest.created
        groups = manifest.groups
        counts = Dictionary(manifest.counts.map { ($0.key.rawValue, $0.value) }) { $1 }
    }
}

/// What of a keyring goes into a bundle.
public struct BundleContent: Hashable, Sendable {
    /// The groups; nil for all within reach.
    public var groups: [AccessGroup]?
    /// Only this account with its tokens, and nothing that is no account's; nil for everything.
    public var account: AccountID?
    /// Whether access tokens go too.
    public var includesAccessTokens: Bool

    /// A choice; everything but access tokens, unless told otherwise.
    public init(groups: [AccessGroup]? = nil, account: AccountID? = nil, includesAccessTokens: Bool = false) {
        self.groups = groups
        self.account = account
        self.includesAccessTokens = includesAccessTokens
    }
}
