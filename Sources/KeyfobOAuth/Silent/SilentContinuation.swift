/// How a request for a token goes on after a refresh.
package enum SilentContinuation: Hashable, Sendable {
    /// Hand out the new access token; with a warning where it could not be stored.
    case giveNew(isSaved: Bool)
    /// Hand out the access token that another process has stored meanwhile.
    case giveStored
    /// Read what is stored and decide again, with this attempt added where there is one.
    case decideAgain(SilentPlan.Attempt?)
    /// Do this; there is nothing left to decide.
    case conclude(SilentAction)
    /// The store failed; no token goes out that could not be made durable.
    case storeFailed

    /// What follows from how a refresh ended.
    package init(_ result: RefreshResult) {
        switch result {
        case .refreshed: self = .giveNew(isSaved: true)
        case .refreshedUnsaved: self = .giveNew(isSaved: false)
        case .adopted: self = .giveStored
        case .ended, .superseded: self = .decideAgain(nil)
        case .failed(let token, let failure):
            self = .decideAgain(SilentPlan.Attempt(token: token, failure: failure))
        case .refused(let token, let refusal):
            self = .decideAgain(SilentPlan.Attempt(token: token, failure: refusal.failure, ruling: refusal.ruling))
        case .keptOld: self = .conclude(.useOld(.failed(.outcomeUnknown)))
        case .busy: self = .conclude(.retryLater(.contention))
        case .storeFailed, .notDurable: self = .storeFailed
        }
    }
}
