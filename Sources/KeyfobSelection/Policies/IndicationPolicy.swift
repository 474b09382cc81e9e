internal import KeyfobModel

/// Which accounts a repository, or an address, indicates.
///
/// What it says may be anybody's: it picks among accounts whose tokens go where this one goes, and never widens that.
struct IndicationPolicy {
    private let request: TokenRequest
    private let owned: ResourceURL?
    private let ownedRule: DestinationRule?
    /// The rule of the remote where the request itself says of no provider whose accounts it means.
    private let remoteRule: DestinationRule?
    private let isAimed: Bool

    /// Nil where nothing indicates anybody.
    init?(_ request: TokenRequest, bindings: [Binding]) {
        let context = request.context
        self.request = request
        owned = context.ownedAddress.flatMap { $0.owner == nil ? nil : $0 }
        guard owned != nil || context.committer != nil else { return nil }
        ownedRule = owned.map { DestinationRule(ofRepository: $0, bindings: bindings) }
        isAimed = context.url != nil || request.environment != nil || !request.scopes.isEmpty
        remoteRule = isAimed ? nil : context.remote.map { DestinationRule(ofRepository: $0, bindings: bindings) }
    }

    /// Whether something may indicate this account, others aside.
    func mayIndicate(_ candidate: Candidate) -> Bool {
        if let owned, candidate.account.owns(owned) { return true }
        guard let address = request.context.committer else { return false }
        return candidate.account.has(address) || candidate.account.mailAddress?.domain == address.domain
    }

    /// What the accounts of one group come to.
    struct Finding {
        /// The one that is indicated, and by what.
        var found: (index: Int, indication: Indication)?
        /// How many are of the committer's domain, where that was asked.
        var kin: Int?
    }

    /// The only account of `open`, which are places in `candidates` and of one group, that is indicated; none where two things
    /// indicate different ones.
    ///
    /// - Parameter signedOut: Those of the group whose person has signed out: what is their address is nobody else's.
    func finding(_ open: [Int], signedOut: [Int], of candidates: [Candidate]) -> Finding {
        var finding = Finding()
        var found: [(index: Int, indication: Indication)] = []
        if let address = request.context.committer {
            let aimed = open.filter { isAimed(candidates[$0]) }
            let own = aimed.filter { candidates[$0].account.has(address) }
            if own.count == 1 { found.append((own[0], .committer(address))) }
            if own.isEmpty, address.tellsOrganisation,
                !signedOut.contains(where: { candidates[$0].account.has(address) })
            {
                let kin = aimed.filter { candidates[$0].account.mailAddress?.domain == address.domain }
                finding.kin = kin.count
                if kin.count == 1 { found.append((kin[0], .domain(address))) }
            }
        }
        if let owned, let owner = owned.owner {
            let own = open.filter { isOwned(candidates[$0]) && candidates[$0].account.owns(owned) }
            if own.count == 1 {
                found.append((own[0], .owner(ResourceURL(host: owned.host, path: [owner]))))
            }
        }
        if let first = found.first, found.allSatisfy({ $0.index == first.index }) { finding.found = first }
        return finding
    }

    /// Whether a token of the account would go where the request's goes, or its repository is.
    private func isAimed(_ candidate: Candidate) -> Bool {
        isAimed || remoteRule?.allows(candidate.account.id, in: candidate.group) ?? false
    }

    /// Whether the address can be of somebody at the account's provider.
    private func isOwned(_ candidate: Candidate) -> Bool {
        guard let owned, let ownedRule else { return false }
        guard request.context.namesRepository else {
            return EnvironmentAliases.areSame(candidate.account.id.environment, owned.host)
        }
        // Of a host that the request itself names, it has been asked already.
        return request.context.url != nil || ownedRule.allows(candidate.account.id, in: candidate.group)
    }
}
