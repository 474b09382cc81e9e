internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// What becomes of an access token that a service has refused.
    public enum RefusedToken: Hashable, Sendable {
        /// It is not handed out any more; the next request gets another.
        case replaced(Account)
        /// It stays, because nothing gets another.
        case kept(Account)
        /// It is not what is stored for the request.
        case unknown
    }
}

extension Keyring.Tokens {
    /// Sees to it that an access token which a service has refused is not handed out again, where a refresh can get
    /// another; no sign-in ends, and no token that came from elsewhere is lost.
    ///
    /// - Parameters:
    ///   - token: The token, which has to be the one that is stored: who only says so changes nothing.
    ///   - request: What it was asked for by.
    ///   - groups: The groups to look through, in order; nil for all within reach.
    /// - Throws: as ``stored(for:in:)``, but no `signInNeeded`; and what writing can throw.
    public func refused(
        _ token: borrowing SecretBytes, for request: TokenRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Keyring.RefusedToken {
        var request = request
        request.minimumValidity = 0
        let answer: Keyring.TokenAnswer
        do {
            answer = try self.kept(for: request, in: groups)
        } catch  where error.code == .signInNeeded {
            return .unknown
        }
        guard answer.secret.isEqual(to: token) else { return .unknown }
        let found = answer.found
        guard try canRenew(found) else { return .kept(found.account) }
        let secret = token.withBytes { SecretBytes(copying: $0) }
        let now = clock.now
        return try withState { state in
            let isThere = try change(&state, try state.group(found.group)) { writer in
                try writer.expire(found.credential, secret: secret, at: now)
            }
            return isThere ? .replaced(found.account) : .unknown
        }
    }

    /// Whether a sign-in that lasts gets tokens of the kind, as far as is known without asking the provider.
    private func canRenew(_ found: Keyring.FoundToken) throws(KeyringError) -> Bool {
        let environment = found.account.id.environment
        guard try keyring.providers.description(forEnvironment: environment, in: [found.group]) != nil else {
            return false
        }
        return try withState { state in
            let keys = try state.group(found.group).keys
            return try database.credentials(.refreshToken, of: found.account.id, in: keys).items.contains { item in
                let isMeant = item.value.clientID == found.credential.clientID || item.value.familyID != nil
                return isMeant && (item.value.grant ?? Grant()).state == .active
            }
        }
    }
}
