internal import KeyfobModel

/// Sorts the entries of an ADAL cache by person, and makes accounts and tokens of them.
///
/// ADAL knows people by their user names, at each host; MSAL knows them by home account ids.
struct ADALPeople {
    /// Each entry with the account that it is of.
    private let members: [(entry: ADALEntry, id: AccountID)]

    init(_ entries: [ADALEntry]) {
        func person(_ entry: ADALEntry) -> String {
            Identifier.foldedName(entry.userID) + "\u{0}" + EnvironmentAliases.canonicalName(of: entry.authority.host)
        }
        let known = Dictionary(grouping: entries, by: person).compactMapValues(Self.homeAccountID)
        members = entries.compactMap { entry in
            let host = entry.authority.host
            let home = entry.homeAccountID ?? known[person(entry)]
            // An entry has a user id and a host, so the second always makes an account id.
            let id =
                home.flatMap { AccountID(homeAccountID: $0, environment: host) }
                ?? AccountID(homeAccountID: Identifier.folded(entry.userID), environment: host)
            return id.map { (entry, $0) }
        }
    }

    /// The home account id of a person on which all entries that tell one agree, or nil.
    private static func homeAccountID(_ entries: [ADALEntry]) -> String? {
        func only(_ ids: [String]) -> String? { Set(ids.map(Identifier.foldedName)).count == 1 ? ids.first : nil }
        let written = entries.compactMap(\.homeAccountID)
        return written.isEmpty ? only(entries.compactMap(\.derivedHomeAccountID)) : only(written)
    }

    /// The accounts, the access tokens, and one refresh token for each person and client.
    func cache(_ findings: inout [ADALFinding]) -> MSALCache {
        var cache = MSALCache()
        cache.accounts = accounts()
        cache.credentials = accessTokens(&findings) + refreshTokens()
        return cache
    }

    private func accounts() -> [Account] {
        var order: [AccountID] = []
        var accounts: [AccountID: Account] = [:]
        var realms: Set<String> = []
        for (entry, id) in members {
            if accounts[id] == nil { order.append(id) }
            // Taken out while it is changed, so that it is not copied.
            var account = accounts.removeValue(forKey: id) ?? Account(id: id, username: entry.userID)
            account.displayName = account.displayName ?? entry.identity.name
            if let profile = profile(entry),
                realms.insert(id.canonical + "\u{0}" + Identifier.folded(profile.realm)).inserted
            {
                account.tenantProfiles.append(profile)
            }
            accounts[id] = account
        }
        for id in order { accounts[id]?.tenantProfiles.sort { $0.realm < $1.realm } }
        return order.compactMap { accounts[$0] }
    }

    /// The person in one tenant, where the entry tells which.
    private func profile(_ entry: ADALEntry) -> TenantProfile? {
        let isADFS = entry.authority.kind == .adfs
        guard let realm = isADFS ? "adfs" : entry.identity.tenantID ?? entry.authority.ownTenant else { return nil }
        return TenantProfile(
            realm: realm, localAccountID: entry.identity.objectID ?? "", environment: entry.authority.host,
            username: entry.userID, displayName: entry.identity.name, authorityType: isADFS ? "ADFS" : "MSSTS")
    }

    private func accessTokens(_ findings: inout [ADALFinding]) -> [MSALCache.StoredCredential] {
        var kept: [(entry: ADALEntry, element: MSALCache.StoredCredential)] = []
        var places: [String: Int] = [:]
        for (entry, id) in members {
            guard let secret = entry.accessToken else { continue }
            guard !entry.resource.isEmpty else {
                findings.append(ADALFinding(ordinal: entry.ordinal, reason: .noResource))
                continue
            }
            guard let expiresOn = entry.expiresOn else {
                findings.append(ADALFinding(ordinal: entry.ordinal, reason: .noExpiry))
                continue
            }
            let credential = Credential(
                kind: .accessToken, account: id, clientID: entry.clientID, realm: entry.tenant,
                // A resource that ends in a slash keeps it, or the audience of the token would lack it.
                scopes: [entry.resource + "/.default"], tokenType: entry.tokenType, cachedAt: entry.cachedAt,
                expiresOn: expiresOn)
            let parts = [
                id.canonical, entry.clientID, entry.tenant, entry.resource, credential.effectiveTokenType,
            ]
            let identity = Identifier.folded(parts.joined(separator: "\u{0}"))
            let element = MSALCache.StoredCredential(credential: credential, secret: secret)
            guard let place = places[identity] else {
                places[identity] = kept.count
                kept.append((entry, element))
                continue
            }
            let isNewer = expiresOn >= kept[place].element.credential.expiresOn ?? expiresOn
            let (winner, loser) = isNewer ? (entry, kept[place].entry) : (kept[place].entry, entry)
            if isNewer { kept[place] = (entry, element) }
            findings.append(ADALFinding(ordinal: loser.ordinal, reason: .superseded(by: winner.ordinal)))
        }
        return kept.map(\.element)
    }

    /// Of the copies that every entry has of a person's refresh token, the latest; one for all resources is
    /// preferred.
    private func refreshTokens() -> [MSALCache.StoredCredential] {
        var order: [String] = []
        var chosen: [String: (rank: (Int, Int64), element: MSALCache.StoredCredential)] = [:]
        for (entry, id) in members {
            guard let secret = entry.refreshToken else { continue }
            let credential = Credential(
                kind: .refreshToken, account: id, clientID: entry.clientID, familyID: entry.familyID,
                cachedAt: entry.cachedAt, grant: Grant())
            let parts = [id.canonical, entry.clientID, entry.familyID ?? ""]
            let identity = Identifier.folded(parts.joined(separator: "\u{0}"))
            let rank = (entry.isMultiResource ? 1 : 0, entry.cachedAt?.seconds ?? entry.expiresOn?.seconds ?? 0)
            let element = MSALCache.StoredCredential(credential: credential, secret: secret)
            if let present = chosen[identity] {
                if rank >= present.rank { chosen[identity] = (rank, element) }
            } else {
                order.append(identity)
                chosen[identity] = (rank, element)
            }
        }
        return order.compactMap { chosen[$0]?.element }
    }
}
