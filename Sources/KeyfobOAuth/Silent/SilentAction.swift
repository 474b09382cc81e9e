package import KeyfobModel

/// What to do with a request for a token, and why.
package enum SilentAction: Hashable, Sendable {
    /// Hand out the stored token; nothing is asked of the network.
    case useCached
    /// Redeem this refresh token, then decide again.
    case refresh(TokenIdentity)
    /// Hand out the stored token, which should be replaced and could not be; with a warning.
    case useOld(Staleness)
    /// Hand out the stored token in its extended lifetime, flagged.
    case useExtended(ProviderFailure)
    /// The person must sign in.
    case needsSignIn(SignInReason)
    /// The provider refused, which reaches as far as it says; what helps depends on that.
    case refused(JudgedRefusal)
    /// Nothing can be had now; it may go better later. Nothing is deleted.
    case retryLater(RetryReason)
    /// Nothing can be had, and no sign-in would change that.
    case failed(ProviderFailure)

    /// Why a token could not be replaced.
    package enum Staleness: Hashable, Sendable {
        /// A person must sign in for another one.
        case needsSignIn(SignInReason)
        /// The provider gave none.
        case failed(ProviderFailure)
    }

    /// Why a person must sign in.
    package enum SignInReason: Hashable, Sendable, CustomStringConvertible {
        /// The account is not known.
        case noAccount
        /// The person signed out.
        case signedOut
        /// There is no refresh token.
        case noRefreshToken
        /// The grant ended before; the text says why.
        case grantEnded(String)
        /// The refresh token belongs to another cloud than the one asked.
        case otherCloud
        /// The provider refused what there is, without a word.
        case refused(ProviderFailure)

        package var description: String {
            switch self {
            case .noAccount: "the account is not known"
            case .signedOut: "the account is signed out"
            case .noRefreshToken: "there is no refresh token"
            case .grantEnded(let reason): reason
            case .otherCloud: "the refresh token is another cloud's"
            case .refused(let failure): failure.description
            }
        }
    }

    /// Why to come back later.
    package enum RetryReason: Hashable, Sendable {
        /// The provider cannot be reached, or is out of order.
        case offline(ProviderFailure)
        /// The provider asks to wait.
        case throttled(until: Timestamp)
        /// Others keep replacing the token faster than it can be used.
        case contention
    }
}
