public import KeyfobModel

/// A name that stands for an account or a context in the history: a keyed hash, so that the history
/// tells nobody who used what.
public struct UsageTag: RawRepresentable, Hashable, Sendable {
    /// The first 64 bits of the hash.
    public let rawValue: UInt64

    /// The tag with these bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A tag without a key (FNV-1a), where nothing is stored and nobody is to be kept from knowing.
    public init(of text: String) {
        rawValue = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The contexts of a request from the narrowest to the widest; what is not known is nil, and equals nothing.
public struct UsageContext: Hashable, Sendable {
    /// The repository, the address or the directory.
    public var place: UsageTag?
    /// Whoever owns the place.
    public var owner: UsageTag?
    /// The host.
    public var host: UsageTag?
    /// The calling program.
    public var tool: UsageTag?

    /// A context.
    public init(place: UsageTag? = nil, owner: UsageTag? = nil, host: UsageTag? = nil, tool: UsageTag? = nil) {
        self.place = place
        self.owner = owner
        self.host = host
        self.tool = tool
    }
}

/// One decision of the past: an account was chosen by the person, or confirmed by use.
public struct UsageEvent: Hashable, Sendable {
    /// When.
    public var time: Timestamp
    /// Which account.
    public var account: UsageTag
    /// Where.
    public var context: UsageContext

    /// An event.
    public init(time: Timestamp, account: UsageTag, context: UsageContext) {
        self.time = time
        self.account = account
        self.context = context
    }
}
