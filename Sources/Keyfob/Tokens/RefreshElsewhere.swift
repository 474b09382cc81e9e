internal import Synchronization

// A refresh that one process does for another.

extension Keyring {
    /// The same keyring, opened anew: for the child of a fork, which may use nothing that its parent has open.
    ///
    /// What is to be said of the vault's state has been said there.
    ///
    /// - Throws: `notOffered` where the desktop's keyring keeps the vault, and what opening can throw.
    package func reopened() throws(KeyringError) -> Keyring {
        let key = try unlockingKey()
        let other = try LockedKeyring(at: location, clock: clock).unlock(withHandedOver: key)
        _ = other.takeWarnings()
        return other
    }

    /// Takes over what another process would have told the owner.
    package func take(_ warnings: [Warning]) {
        state.withLock { state in
            for warning in warnings { state.warn(warning) }
        }
    }
}

extension Keyring.Tokens {
    /// The token for `acquisition`: from what is stored, from another process, or by a refresh in this one.
    ///
    /// - Parameters:
    ///   - elsewhere: Has another process get it; nil where there is none, or it ended without an answer.
    ///   - here: Gets it in this process.
    package func get(
        _ acquisition: TokenAcquisition,
        elsewhere: (MissingToken) throws(KeyringError) -> Keyring.TokenAnswer?,
        here: (MissingToken) throws(KeyringError) -> Keyring.TokenAnswer
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        switch try lookUp(acquisition) {
        case .found(let answer): return answer
        case .missing(let token): if let answer = try elsewhere(token) { return answer }
        }
        // What it has written down counts here as it does for whoever comes next.
        switch try lookUp(acquisition) {
        case .found(let answer): return answer
        case .missing(let token): return try here(token)
        }
    }
}

extension MissingToken {
    /// The name of the account that it is of.
    package var accountName: String { plan.account.name }

    /// What another process is to ask for: this account's, in its group.
    package var question: TokenAcquisition {
        var question = acquisition
        question.hold(to: plan)
        question.groups = [plan.group]
        return question
    }

    /// The same where somebody else asked, at that time.
    package func asked(at time: Timestamp) -> MissingToken {
        MissingToken(acquisition: acquisition, plan: plan, askedAt: time)
    }

    /// The answer, with the token that another process has got.
    package func answer(
        with token: consuming Keyring.TokenAnswer
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        token.found = Keyring.FoundToken(
            credential: token.found.credential, account: plan.account, group: plan.group, isAging: false,
            reason: plan.reason, origin: token.found.origin)
        return try token.going(to: acquisition.request)
    }
}
