import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

/// Values that tests are made of.
enum Sample {
    static let group = AccessGroup.default
    static let digestKey = [UInt8](repeating: 9, count: 32)

    static func id(_ name: String, _ environment: String = "login.example") -> AccountID {
        guard let id = AccountID(homeAccountID: name, environment: environment) else { fatalError("no id: \(name)") }
        return id
    }

    static func version(_ milliseconds: Int64, device: UInt64 = 1) -> ItemVersion {
        ItemVersion(stamp: Stamp(milliseconds: milliseconds, after: nil), device: device)
    }

    static func group(_ name: String) -> AccessGroup {
        guard let group = try? AccessGroup(name) else { fatalError("no group: \(name)") }
        return group
    }

    /// Stands for the secret with this number.
    static func digest(_ number: UInt8) -> SecretDigest {
        guard let digest = SecretDigest([UInt8](repeating: number, count: 32)) else { fatalError("32 bytes") }
        return digest
    }

    static func refreshToken(
        _ name: String = "ada", client: String = "client", state: Grant.State = .active, epoch: UInt64 = 1,
        generation: UInt64 = 1
    ) -> Credential {
        Credential(
            kind: .refreshToken, account: id(name), clientID: client,
            grant: Grant(state: state, epoch: epoch, generation: generation))
    }

    /// A grant, of which `secret` says which token it is.
    static func grant(_ credential: Credential, secret: UInt8?, at milliseconds: Int64, device: UInt64 = 1) throws
        -> GrantItem
    {
        try #require(
            GrantItem(credential, secret: secret.map(digest), version: version(milliseconds, device: device)))
    }

    static func account(_ name: String, label: String? = nil) -> Account {
        Account(
            id: id(name), username: name + "@login.example", label: label,
            tenantProfiles: [
                TenantProfile(
                    realm: "tenant", localAccountID: "local-" + name, environment: "login.example",
                    username: name + "@login.example")
            ])
    }

    static func record(_ content: ItemContent, at milliseconds: Int64 = 1_000, group: AccessGroup = group)
        -> ItemRecord
    {
        ItemRecord(group: group, content: content, version: version(milliseconds))
    }

    /// A keyring with these records, whose secrets all have the digest of 1.
    static func state(_ records: ItemRecord...) -> KeyringState {
        var state = KeyringState()
        for record in records {
            let hasSecret = [.credential, .clientSecret, .foreign].contains(record.kind)
            state.insert(record, secret: hasSecret ? digest(1) : nil)
        }
        return state
    }
}
