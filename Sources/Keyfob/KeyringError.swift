internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobKernelKeyring
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSync
internal import KeyfobVault

/// What went wrong, in the terms of whoever uses a keyring.
///
/// Two errors are equal when their codes are; the message is for people. No message holds a token, a
/// passphrase, the query of a URL, or an argument of an SQL statement.
public struct KeyringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public let code: Code
    /// What, where: one line.
    public let message: String
    /// What to do about it, where there is something.
    public let advice: Advice?
    /// The accounts, groups or slots that the error is about, as people would type them.
    public let candidates: [String]
    /// The first of the candidates as a line for people names them, at most ``namedCandidates``: accounts by names that can
    /// be typed; none where the message names all there is.
    public let candidateNames: [String]
    /// How a person continues where a request for a token was refused; nil where nothing continues it.
    public let continuation: Continuation?

    /// How many candidates a line for people names.
    public static let namedCandidates = 3

    /// An error.
    ///
    /// - Parameters:
    ///   - names: What people read in the place of the candidates; nil where they read these.
    ///   - continuation: That of the advice unless given.
    public init(
        _ code: Code, _ message: String, advice: Advice? = nil, candidates: [String] = [], names: [String]? = nil,
        continuation: Continuation? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.candidates = candidates
        candidateNames = Array((names ?? candidates).prefix(Self.namedCandidates))
        self.continuation = continuation ?? advice?.continuation
    }

    /// An error about accounts.
    ///
    /// - Parameter isNamed: Whether the message names them.
    public init(
        _ code: Code, _ message: String, advice: Advice? = nil, accounts: [Account], isNamed: Bool = false
    ) {
        let naming = AccountNaming(among: accounts.map { Candidate($0, in: .default) })
        self.init(
            code, message, advice: advice, candidates: accounts.map(\.id.description),
            names: isNamed ? [] : accounts.prefix(Self.namedCandidates).map { naming.shown($0, nil) })
    }

    /// The same error with other words, or other advice.
    public func saying(_ message: String? = nil, advice: Advice?) -> KeyringError {
        KeyringError(
            code, message ?? self.message, advice: advice, candidates: candidates, names: candidateNames,
            continuation: continuation)
    }

    /// Whether both have the same code.
    public static func == (left: KeyringError, right: KeyringError) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The message: one line, without a command.
    public var description: String { message }

    /// What can go wrong.
    ///
    /// The raw value is stable: documents carry it, and it decides the exit status.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A person must sign in, or the token must be refreshed.
        case signInNeeded
        /// Several accounts, or tokens, fit; somebody has to say which.
        case ambiguous
        /// Nothing that can be used without asking opens the vault.
        case locked
        /// No account answers to the name.
        case noSuchAccount
        /// No group has the name.
        case noSuchGroup
        /// No slot has the id.
        case noSuchSlot
        /// Nothing is bound, or allowed, there.
        case noSuchBinding
        /// There is nothing to undo, or not under that id.
        case noSuchEntry
        /// What was done last cannot be undone; nothing older was.
        case notUndoable
        /// No provider answers to the name, or serves the account.
        case noSuchProvider
        /// No client has the id, or none is the one to take.
        case noSuchClient
        /// The person said no.
        case cancelled
        /// The request contradicts itself.
        case usage
        /// What was read is malformed or damaged.
        case damaged
        /// What was read exceeds a limit.
        case limitExceeded
        /// The vault has been taken back to an earlier state.
        case rolledBack
        /// The vault is another one than was there before, or nothing shows that it is the owner's.
        case unknownVault
        /// A newer Keyfob wrote it.
        case newerVersion
        /// There is no vault.
        case noVault
        /// There is no such file.
        case noSuchFile
        /// Something the system should offer is missing.
        case unavailable
        /// It exists already.
        case alreadyExists
        /// Reading or writing failed; nothing was lost.
        case inputOutput
        /// The disk is full; the old state is intact.
        case diskFull
        /// Another process holds the vault; try again.
        case busy
        /// The key or passphrase is wrong.
        case wrongKey
        /// The key opens other groups than the one asked for.
        case groupNotGranted
        /// Only a key of the whole vault may do this.
        case needsVaultKey
        /// The last way to unlock cannot be removed.
        case lastSlot
        /// A path cannot be trusted, or a setting makes no sense.
        case configuration
        /// The provider cannot be reached, or is out of order; try again. The advice says where nothing is lost for sure.
        case offline
        /// The other side's certificate does not show that it is the one asked for; nothing was sent, and no try later helps.
        case untrustedCertificate
        /// The provider asks to wait; nothing is lost, try again later.
        case throttled
        /// The provider granted fewer scopes than were asked for; what it granted is stored.
        case scopesDeclined
        /// An organisation does not let the account, the device or the client in.
        case policyNotMet
        /// Somebody else signed in than was asked for; nothing was stored.
        case otherAccount
        /// The provider refused, or answered what makes no sense.
        case providerFailed
        /// A service answered a request with an error.
        case requestRefused
        /// The token does not go to that host.
        case hostNotAllowed
        /// The token is bound to a key, and of no use to whoever asks for it alone.
        case proofNeeded
        /// The program that asks may not have this.
        case notPermitted
        /// The place where the records lie cannot do this.
        case notOffered
        /// It was done, and the disk did not confirm that it lasts.
        case unconfirmed
        /// A fault of Keyfob.
        case fault
    }
}

extension KeyringError {
    /// Says in public terms what a layer below said.
    package init(_ error: any Error) {
        switch error {
        case let error as KeyringError: self = error
        case let error as StoreError: self.init(error)
        case let error as LookupRefusal: self.init(error)
        case let error as KernelKeyring.Failure: self.init(error)
        case let error as DesktopError: self.init(error)
        case let error as VaultError: self.init(error)
        case let error as BundleError: self.init(error)
        case let error as SecretServiceError: self.init(error)
        default: self.init(.fault, "something failed that should not: \(type(of: error))")
        }
    }

    /// Runs `body` and translates what it throws.
    static func translating<Result: ~Copyable>(_ body: () throws -> Result) throws(KeyringError) -> Result {
        do {
            return try body()
        } catch {
            throw KeyringError(error)
        }
    }
}
