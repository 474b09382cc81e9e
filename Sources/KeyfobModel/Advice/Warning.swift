/// What the owner of a keyring should know, although what was asked for was done.
public struct Warning: Hashable, Sendable, CustomStringConvertible {
    /// What it is about.
    public let code: Code
    /// What, where: one line, without a command.
    public let message: String
    /// What to do about it, where there is something.
    public let advice: Advice?

    /// What a warning can be about.
    ///
    /// The raw value is stable.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A record does not open and was passed over.
        case damagedRecord
        /// A setting makes no sense to this Keyfob and was passed over.
        case unknownSetting
        /// Something that was decided with a group's key leads nowhere, or was passed over.
        case foreignDecision
        /// A group holds more or fewer records than it should.
        case wrongCount
        /// The vault, or a group, has been taken back to an earlier state.
        case rolledBack
        /// The vault, or a group, is another one of the same sequence than was seen before.
        case forked
        /// What was noted of earlier states is damaged.
        case marksDamaged
        /// How far the vault has come could not be noted.
        case notNoted
        /// The header is damaged; its copy is used.
        case damagedHeader
        /// The copy of the header could not be written.
        case headerCopy
        /// An old token is used, because no new one could be had.
        case oldToken
        /// A new token could not be stored.
        case tokenNotStored
        /// A project file does not count.
        case projectFile
        /// The history of choices is not what it could be.
        case history
        /// No backup was made.
        case noBackup
        /// The Secret Service holds more items than it should, or lost one that was made again.
        case serviceItems
        /// A change that was stopped could not be completed yet.
        case stoppedChange
        /// A sign-in is in use in two places, each of which may end it for the other.
        case sharedSignIn
        /// Something cannot be undone, or not any more, since a journal keeps only so much.
        case undoLimit
        /// No provider is known that could renew the tokens of an account.
        case noProvider
        /// A sign-in is about to end.
        case signInEnds
        /// A provider still takes a token after the account was signed out.
        case notRevoked
        /// What a provider says of itself is wrong in a part that no sign-in needs.
        case providerMetadata

        /// Whether it comes again until the owner accepts what is there.
        package var isFinding: Bool { self == .rolledBack || self == .forked || self == .marksDamaged }
    }

    /// A warning.
    public init(_ code: Code, _ message: String, advice: Advice? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// The message.
    public var description: String { message }
}
