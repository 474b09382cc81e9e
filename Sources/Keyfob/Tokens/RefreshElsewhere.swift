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

extension MissingToken {
    /// The name of the account that it is of.
    package var accountName: String { plan.account.name }

    /// The answer, with the token that another process has got.
    package func answer(with token: consuming Keyring.TokenAnswer) -> Keyring.TokenAnswer {
        token.found = Keyring.FoundToken(
            credential: token.found.credential, account: plan.account, group: plan.group, isAging: false,
            reason: plan.reason, origin: token.found.origin)
        return token.going(to: acquisition.request)
    }
}
