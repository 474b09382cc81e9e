internal import KeyfobModel

extension MSALCacheReader {
    mutating func readAccount(_ entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) {
        var entity = entity
        let id = try accountID(of: entity, bytes)
        var profile = TenantProfile(
            realm: shared(try entity.optionalIdentifier(.realm, tape, bytes)),
            localAccountID: try entity.optionalIdentifier(.localAccountID, tape, bytes),
            environment: shared(id.environment), username: try entity.text(.username, tape, bytes) ?? "",
            authorityType: try entity.text(.authorityType, tape, bytes).map { shared($0) })
        if let name = entity.value(.name, tape), tape.kind(of: name) != .string {
            entity.keep(.name, tape, bytes)
        } else {
            profile.displayName = try entity.text(.name, tape, bytes)
        }
        profile.additionalFields = AdditionalFields(entity.additionalFields)
        let parts = [id.homeAccountID, id.environment, profile.realm]
        skip(
            profiles.add(
                .init(
                    element: (id, profile), section: .account, ordinal: entity.ordinal,
                    hasSmallKey: entity.hasSmallKey, time: 0),
                identity: Identifier.folded(parts.joined(separator: "\u{0}"))))
    }

    mutating func readAppMetadata(_ entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) {
        let metadata = AppMetadata(
            clientID: shared(try entity.identifier(.clientID, tape, bytes)),
            environment: shared(try entity.identifier(.environment, tape, bytes)),
            family: try entity.text(.familyID, tape, bytes).map { .member($0) } ?? AppMetadata.Family.none,
            additionalFields: AdditionalFields(entity.additionalFields))
        skip(
            appMetadata.add(
                .init(
                    element: metadata, section: .appMetadata, ordinal: entity.ordinal,
                    hasSmallKey: entity.hasSmallKey, time: 0),
                identity: Identifier.folded(metadata.environment + "\u{0}" + metadata.clientID)))
    }

    /// One account for each id, and how many of them only their tokens tell of.
    func accounts() -> (accounts: [Account], withoutEntity: Int) {
        var order: [AccountID] = []
        var found: [AccountID: [TenantProfile]] = [:]
        for entry in profiles.entries {
            if found[entry.element.id] == nil { order.append(entry.element.id) }
            found[entry.element.id, default: []].append(entry.element.profile)
        }
        let withEntity = order.count
        for entry in credentials.entries where found[entry.element.credential.account] == nil {
            order.append(entry.element.credential.account)
            found[entry.element.credential.account] = []
        }
        return (order.map { account($0, found[$0] ?? []) }, order.count - withEntity)
    }

    /// The account with these profiles; named as at home, or else as in the first tenant that has a name.
    private func account(_ id: AccountID, _ profiles: [TenantProfile]) -> Account {
        let sorted = profiles.sorted { ($0.realm, $0.environment) < ($1.realm, $1.environment) }
        var account = Account(id: id, username: "", tenantProfiles: sorted)
        let home = account.homeRealm.map(Identifier.folded)
        let homeFirst =
            sorted.filter { Identifier.folded($0.realm) == home }
            + profiles.filter { Identifier.folded($0.realm) != home }
        account.username = homeFirst.first { !$0.username.isEmpty }?.username ?? ""
        account.displayName = homeFirst.lazy.compactMap(\.displayName).first
        return account
    }
}
