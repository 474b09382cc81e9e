internal import Keyfob

extension Candidate {
    /// How its sign-in stands, as people read it, and when it ends where that is soon.
    ///
    /// - Parameter tellsEnd: Whether the end is told also where it is far away.
    func stateWords(_ now: Timestamp, tellsEnd: Bool = false) -> String {
        guard state == .signedIn || state == .tokensOnly, let end, tellsEnd || end.isNear(now) else {
            return state.words
        }
        return state.words + (end.endsOn <= now ? ", ended " : ", ends ") + TimeText.distance(to: end.endsOn, from: now)
    }
}

extension Candidate.SignInState {
    /// The state as people read it.
    var words: String {
        switch self {
        case .signedIn: "signed in"
        case .tokensOnly: "tokens only"
        case .signedOut: "signed out"
        case .needsSignIn(let reason): "sign-in needed: \(reason)"
        case .noCredentials: "no tokens"
        }
    }
}

extension Keyring {
    /// What an account is called among those that are within reach.
    func shownName(of candidate: Candidate, in groups: [AccessGroup]?) -> String {
        let known = (try? accounts.list(in: groups)) ?? []
        return AccountNaming(among: known + [candidate]).brief(candidate.account)
    }
}
