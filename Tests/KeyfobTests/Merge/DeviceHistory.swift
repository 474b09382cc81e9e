import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobRecords

/// Four devices that change one keyring, each by its own clock, and send each other what they hold.
///
/// What they do is done by the writers, the reading and the merging that ship.
struct DeviceHistory {
    private struct Device {
        let store: any DeviceStore
        let skew: Int64
        /// The sign-outs of this device that nobody else has, and those of them that its backup has.
        var unsent: Set<Grants> = []
        var unsentInBackup: Set<Grants> = []
    }

    /// A grant in one epoch.
    struct Grants: Hashable {
        let key: ItemKey
        let epoch: UInt64
    }

    /// What a device held when it was sent.
    typealias Letter = [(record: ItemRecord, secret: [UInt8]?)]

    private var generator: SeededGenerator
    private var devices: [Device] = []
    /// All letters that were ever sent: a folder keeps them, also when sender and receiver have lost what is in them.
    private var mail: [(to: Int, letter: Letter)] = []
    private var now: Int64 = 1_800_000_000_000
    /// The sign-outs that some device or some mail knows.
    private(set) var signOuts: Set<Grants> = []
    /// The sign-ins that ever were.
    private(set) var signIns: Set<Grants> = []
    private(set) var refreshesAfterSignOut = 0

    init(seed: UInt64, _ store: (UInt64) throws -> any DeviceStore) throws {
        generator = SeededGenerator(seed: seed)
        // Up to ten years wrong.
        let skews = [0, 1, -1, 60_000, -86_400_000, 300_000_000_000, -300_000_000_000]
        for index in 0..<4 {
            let skew = Int64(skews.randomElement(using: &generator) ?? 0)
            devices.append(Device(store: try store(UInt64(index)), skew: skew))
        }
    }

    /// Plays a history, then lets everybody know everything; gives the states of all.
    mutating func play(steps: Int) throws -> [KeyringState] {
        for _ in 0..<steps {
            now += Int64(number(100))
            try step(number(devices.count))
        }
        mail.shuffle(using: &generator)
        for (to, letter) in mail { try receive(letter, at: to) }
        for round in 0..<2 {
            for from in devices.indices {
                let letter = try letter(from: from)
                for to in devices.indices where from != to || round == 1 { try receive(letter, at: to) }
            }
        }
        return try devices.indices.map { index in
            let incoming = Self.incoming()
            for (record, bytes) in try letter(from: index) { incoming.take(record, bytes.map { secret($0) }) }
            return incoming.state
        }
    }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func step(_ index: Int) throws {
        let (name, client) = (["ada", "grace"][number(2)], ["one", "two"][number(2)])
        var account = try Account.contoso(name)
        account.tenantProfiles = [
            TenantProfile(
                realm: "contoso", localAccountID: name, environment: account.id.environment, username: account.username)
        ]
        let grant = GrantKey(.refresh(account, client: client))
        switch number(16) {
        case 0, 1: try signIn(account, client, index)
        case 2, 3, 4: try refresh(grant, account, client, index)
        case 5:
            try change(index) { writer in
                guard try writer.grant(grant)?.grant?.state == .active else { return }
                try writer.endGrant(grant, as: .needsSignIn(reason: "expired"))
            }
        case 6: try signOut([grant], index) { try $0.signOut(client, of: account.id, leavesMark: false) { _, _ in } }
        case 7:
            let grants = try change(index) { try $0.grantKeys(of: account.id) }
            try signOut(Array(grants), index) { _ = try $0.remove(account.id) }
        case 8:
            let label = ["a", "b", nil][number(3)]
            try change(index) { writer in
                if try writer.hasAccount(account.id) { try writer.update(account.id) { $0.label = label } }
            }
        case 9:
            let value = ["ada", "grace", nil][number(3)]
            try change(index) { try $0.setSetting("binding:x", to: value) }
        case 10, 11, 12: try send(from: index)
        case 13, 14:
            guard !mail.isEmpty else { return }
            // Any letter, old or new, that may have come before.
            let (to, letter) = mail[number(mail.count)]
            try receive(letter, at: to)
        default: try number(4) == 0 ? restore(index) : backUp(index)
        }
    }

    @discardableResult
    private func change<Result>(_ index: Int, _ body: (GroupWriter) throws -> Result) throws -> Result {
        try devices[index].store.change(at: now + devices[index].skew, body)
    }

    private mutating func signIn(_ account: Account, _ client: String, _ index: Int) throws {
        let token = secret("token \(number(200))")
        let credential = Credential.refresh(account, client: client)
        let epoch = try change(index) { writer in
            _ = try writer.save(account, from: .signIn)
            _ = try writer.save(credential, secret: token, from: .signIn)
            try Self.save("at signing in", account, client, writer)
            return try writer.grant(GrantKey(credential))?.grant?.epoch ?? 1
        }
        signIns.insert(Grants(key: ItemKey(credential), epoch: epoch))
    }

    /// Stores an access token, which stays where it is.
    private static func save(_ text: String, _ account: Account, _ client: String, _ writer: GroupWriter) throws {
        let credential = Credential.access(account, client: client)
        _ = try writer.save(credential, secret: secret(text))
    }

    private mutating func refresh(_ key: GrantKey, _ account: Account, _ client: String, _ index: Int) throws {
        let token = secret("token \(number(200))")
        let refreshed = try change(index) { writer -> Credential? in
            guard let credential = try writer.grant(key), (credential.grant ?? Grant()).state == .active else {
                return nil
            }
            try writer.replaceGrant(key, secret: token) { token in
                var grant = token.grant ?? Grant()
                grant.generation += 1
                token.grant = grant
            }
            try Self.save("at a refresh", account, client, writer)
            return credential
        }
        guard let refreshed else { return }
        if signOuts.contains(Self.ended(refreshed)) { refreshesAfterSignOut += 1 }
    }

    private static func ended(_ credential: Credential) -> Grants {
        Grants(key: ItemKey(credential), epoch: (credential.grant ?? Grant()).epoch)
    }

    private mutating func signOut(_ keys: [GrantKey], _ index: Int, _ body: (GroupWriter) throws -> Void) throws {
        let ended = try change(index) { writer in
            let grants = try keys.compactMap { try writer.grant($0) }
            try body(writer)
            return grants.map(Self.ended)
        }
        for grant in ended where signOuts.insert(grant).inserted { devices[index].unsent.insert(grant) }
    }

    private func letter(from index: Int) throws -> Letter {
        try change(index) { writer in
            var letter: Letter = []
            let isWhole = try writer.forEachItem(of: .default) { result, secrets in
                let found = try result.get()
                if found.item.content.credential?.kind == .accessToken || found.item.isThisDeviceOnly { return }
                letter.append((found.item, found.hasSecret ? contents(of: try secrets.secret(of: found)) : nil))
            }
            #expect(isWhole)
            return letter
        }
    }

    private mutating func send(from index: Int) throws {
        let (to, letter) = (number(devices.count), try letter(from: index))
        mail.append((to, letter))
        if number(3) == 0 { mail.append((to, letter)) }
        devices[index].unsent = []
        devices[index].unsentInBackup = []
    }

    private static func incoming() -> IncomingBundle {
        // The key of the digests comes from the vault's id, which the devices of a sync share.
        IncomingBundle(
            BundleManifest(
                purpose: .sync, vault: [UInt8](repeating: 7, count: 16), device: 0, created: 0, groups: [.default],
                counts: [:]))
    }

    private func receive(_ letter: Letter, at index: Int) throws {
        let applying = BundleApplying(
            incoming: Self.incoming(), mode: .merge, groups: [.default], takesThisDeviceOnly: false,
            decisions: .all, isRestoring: false, refusedGroups: [:], milliseconds: now + devices[index].skew,
            // However many are merged at a time, all come to the same.
            batch: [1, 2, 5, 2_048][index % 4])
        let inOrder = letter.sorted { ItemMark($0.0.key) < ItemMark($1.0.key) }
        try change(index) { writer in
            _ = try applying.run([.default: writer]) { take in
                for (record, bytes) in inOrder { try take(record, bytes.map { secret($0) }) }
            }
        }
    }

    private mutating func backUp(_ index: Int) throws {
        try devices[index].store.backUp()
        devices[index].unsentInBackup = devices[index].unsent
    }

    /// As after a disk has died.
    private mutating func restore(_ index: Int) throws {
        let lost = devices[index].unsent.subtracting(devices[index].unsentInBackup)
        signOuts.subtract(lost)
        devices[index].unsent = devices[index].unsentInBackup
        try devices[index].store.restore()
    }
}
