import KeyfobModel
import KeyfobSync
import KeyfobTestSupport

/// Makes small keyrings of few names, stamps and values, so that they meet in everything.
struct RandomStates {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func state() -> KeyringState {
        var state = KeyringState()
        for _ in 0..<number(8) {
            let group = Sample.group(["default", "work"][number(2)])
            let record = record(in: group)
            // The secret of a client is none without a secret.
            let hasSecret = number(5) > 0 || record.key.kind == .clientSecret
            state.insert(record, secret: hasSecret ? Sample.digest(UInt8(number(3))) : nil)
        }
        return state
    }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func version() -> ItemVersion {
        ItemVersion(stamp: Stamp(value: UInt64(number(5))), device: UInt64(number(2)))
    }

    private mutating func id() -> AccountID {
        Sample.id(["ada", "Ada", "grace"][number(3)], ["login.example", "LOGIN.example"][number(2)])
    }

    private mutating func record(in group: AccessGroup) -> ItemRecord {
        var record = ItemRecord(group: group, content: content(), version: version())
        if number(4) == 0, !record.isTombstone { record.history.deletion = version() }
        guard case .account = record.content else { return record }
        let names: [FieldName] = [.username, .displayName, .label, .profile(realm: "a"), .profile(realm: "b")]
        for name in names where number(3) == 0 { record.history.fieldVersions[name] = version() }
        if number(3) == 0 {
            record.history.unknownFields.objects["account"] = AdditionalFields([
                .init(name: "mood", json: "\(number(3))")
            ])
        }
        return record
    }

    private mutating func content() -> ItemContent {
        switch number(10) {
        case 0, 1: return .account(account())
        case 2, 3, 4: return .credential(refreshToken())
        case 5:
            var token = Credential(kind: .idToken, account: id(), clientID: "client", realm: ["t", "T"][number(2)])
            token.expiresOn = Timestamp(seconds: Int64(number(2)))
            return .credential(token)
        case 6:
            let family: AppMetadata.Family = [.unknown, .none, .member("1")][number(3)]
            return .appMetadata(AppMetadata(clientID: "client", environment: "login.example", family: family))
        case 7: return .setting(name: "binding:x", value: [nil, "ada@login.example", "grace"][number(3)])
        case 8: return .clientSecret(clientID: "client", environment: ["login.example", "LOGIN.example"][number(2)])
        default:
            return .tombstone(
                [.account(Sample.id("ada")), .account(Sample.id("grace")), .setting("binding:x")][number(3)])
        }
    }

    private mutating func account() -> Account {
        var account = Account(id: id(), username: ["", "a", "b"][number(3)])
        account.displayName = [nil, "A", "B"][number(3)]
        account.label = [nil, "one", "two"][number(3)]
        account.isProved = number(3) == 0
        for realm in ["a", "b"] where number(2) == 0 {
            account.tenantProfiles.append(
                TenantProfile(
                    realm: realm, localAccountID: "\(number(2))", environment: "login.example", username: "u"))
        }
        return account
    }

    private mutating func refreshToken() -> Credential {
        let state: Grant.State =
            [.active, .active, .signedOut, .needsSignIn(reason: "r"), .needsSignIn(reason: "s")][number(5)]
        var grant = Grant(
            state: state, epoch: UInt64(number(3)), generation: UInt64(number(3)),
            rotates: [nil, true, false][number(3)])
        grant.known = [0, grant.epoch + 1][number(2)]
        grant.ended = UInt64(number(Int(grant.latestEpoch) + 1))
        // That it has ended itself its state tells.
        if state == .signedOut, grant.ended <= grant.epoch { grant.ended = 0 }
        return Credential(
            kind: .refreshToken, account: id(), clientID: ["one", "two"][number(2)], grant: grant)
    }
}
