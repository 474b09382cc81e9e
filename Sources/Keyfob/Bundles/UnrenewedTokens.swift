internal import KeyfobModel

/// The access tokens that a backup leaves out because they expire, as far as nothing would bring them back.
struct UnrenewedTokens {
    private struct SignIn: Hashable {
        let account: AccountID
        /// The client, folded; nil for all clients of a family.
        let client: String?
    }

    private let now: Timestamp
    private var leftOut: [SignIn: Int] = [:]
    private var renewing: Set<SignIn> = []

    init(now: Timestamp) {
        self.now = now
    }

    /// Looks at an item of one group.
    mutating func look(at item: ItemRecord) {
        guard case .credential(let credential) = item.content else { return }
        let signIn = SignIn(account: credential.account, client: Identifier.folded(credential.clientID))
        switch credential.kind {
        case .accessToken:
            if let end = credential.expiresOn, end > now { leftOut[signIn, default: 0] += 1 }
        case .refreshToken where (credential.grant ?? Grant()).state == .active:
            renewing.insert(signIn)
            if credential.familyID != nil { renewing.insert(SignIn(account: credential.account, client: nil)) }
        default: break
        }
    }

    /// What is to be said of them; nil where there are none.
    func message(group: AccessGroup) -> String? {
        var count = 0
        for (signIn, tokens) in leftOut
        where !renewing.contains(signIn) && !renewing.contains(SignIn(account: signIn.account, client: nil)) {
            count += tokens
        }
        switch count {
        case 0: return nil
        case 1: return "group \(group.name): 1 access token that expires, and that no refresh token renews"
        default: return "group \(group.name): \(count) access tokens that expire, and that no refresh token renews"
        }
    }
}
