import KeyfobModel
import KeyfobSync
import KeyfobTestSupport

/// Four devices that change one keyring, each by its own clock, and send each other their states.
struct DeviceHistory {
    private struct Device {
        var state = KeyringState()
        var clock: Stamp?
        var observed: Stamp?
        let skew: Int64
        var backup = KeyringState()
        /// The sign-outs of this device that the backup has, and those that nobody but the device has.
        var unsent: Set<Grants> = []
        var unsentInBackup: Set<Grants> = []
    }

    /// A grant in one epoch.
    struct Grants: Hashable {
        let key: ItemKey
        let epoch: UInt64
    }

    private var generator: SeededGenerator
    private var devices: [Device]
    /// All letters that were ever sent: a folder keeps them, also when sender and receiver have lost what is in them.
    private var mail: [(to: Int, state: KeyringState)] = []
    private var now: Int64 = 1_800_000_000_000
    /// The sign-outs that some device or some mail knows.
    private(set) var signOuts: Set<Grants> = []
    /// The sign-ins that ever were.
    private(set) var signIns: Set<Grants> = []
    private(set) var refreshesAfterSignOut = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        // Up to ten years wrong.
        let skews = [0, 1, -1, 60_000, -86_400_000, 300_000_000_000, -300_000_000_000]
        devices = []
        for _ in 0..<4 { devices.append(Device(skew: Int64(skews.randomElement(using: &generator) ?? 0))) }
    }

    /// Plays a history, then lets everybody know everything; gives the digests and the state of the first.
    mutating func play(steps: Int) -> (digests: Set<[UInt8]>, state: KeyringState) {
        for _ in 0..<steps {
            now += Int64(number(100))
            step(number(devices.count))
        }
        mail.shuffle(using: &generator)
        for letter in mail { receive(letter.state, at: letter.to) }
        for round in 0..<2 {
            for from in devices.indices {
                for to in devices.indices where from != to || round == 1 { receive(devices[from].state, at: to) }
            }
        }
        return (Set(devices.map(\.state.digest)), devices[0].state)
    }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func step(_ index: Int) {
        let id = Sample.id(["ada", "grace"][number(2)])
        let key = ItemKey(Sample.refreshToken(id.homeAccountID, client: ["one", "two"][number(2)]))
        switch number(16) {
        case 0, 1: signIn(key, id, index)
        case 2, 3, 4: refresh(key, index)
        case 5: end(key, index)
        case 6: signOut([key], index) { $0.signOut(key, $1) }
        case 7:
            let keys = (devices[index].state.groups[Sample.group]?.grants.keys).map(Array.init) ?? []
            signOut(keys.filter { $0.account == id.canonical }, index) { $0.deleteAccount(id, $1) }
        case 8: change(index) { $0.setLabel(["a", "b", nil][$1], of: id, $2) }
        case 9: change(index) { $0.set("binding:x", to: ["ada", "grace", nil][$1], $2) }
        case 10, 11, 12: send(from: index)
        case 13, 14:
            guard !mail.isEmpty else { return }
            // Any letter, old or new, that may have come before.
            let letter = mail[number(mail.count)]
            receive(letter.state, at: letter.to)
        default: number(4) == 0 ? restore(index) : backUp(index)
        }
    }

    private mutating func version(_ index: Int) -> Version {
        let stamp = HybridClock.next(
            now: now + devices[index].skew, previous: devices[index].clock, observed: devices[index].observed)
        devices[index].clock = stamp
        return Version(stamp: stamp, device: UInt64(index))
    }

    private mutating func change(_ index: Int, _ body: (inout GroupState, Int, Version) -> Void) {
        let (choice, version) = (number(3), version(index))
        body(&devices[index].state.groups[Sample.group, default: GroupState()], choice, version)
    }

    private mutating func store(_ credential: Credential, secret: Int, _ index: Int) {
        let record = ItemRecord(group: Sample.group, content: .credential(credential), version: version(index))
        devices[index].state.insert(record, secret: Sample.digest(UInt8(secret)))
    }

    private func grant(_ key: ItemKey, _ index: Int) -> GrantItem? {
        devices[index].state.groups[Sample.group]?.grants[key]
    }

    private mutating func signIn(_ key: ItemKey, _ id: AccountID, _ index: Int) {
        var credential = Sample.refreshToken(id.homeAccountID, client: key.parts[1])
        credential.grant?.epoch = (grant(key, index)?.grant.epoch ?? 0) + 1
        store(credential, secret: number(200), index)
        signIns.insert(Grants(key: key, epoch: credential.grant?.epoch ?? 0))
        let record = ItemRecord(
            group: Sample.group, content: .account(Sample.account(id.homeAccountID)), version: version(index))
        devices[index].state.insert(record)
    }

    private mutating func refresh(_ key: ItemKey, _ index: Int) {
        guard var credential = grant(key, index)?.credential, credential.grant?.state == .active else { return }
        credential.grant?.generation += 1
        if signOuts.contains(Grants(key: key, epoch: credential.grant?.epoch ?? 0)) { refreshesAfterSignOut += 1 }
        store(credential, secret: number(200), index)
    }

    private mutating func end(_ key: ItemKey, _ index: Int) {
        guard var credential = grant(key, index)?.credential, credential.grant?.state == .active else { return }
        credential.grant?.state = .needsSignIn(reason: "expired")
        store(credential, secret: 0, index)
    }

    private mutating func signOut(_ keys: [ItemKey], _ index: Int, _ body: (inout GroupState, Version) -> Void) {
        let version = version(index)
        for key in keys {
            guard let grant = grant(key, index) else { continue }
            let ended = Grants(key: key, epoch: grant.grant.epoch)
            if signOuts.insert(ended).inserted { devices[index].unsent.insert(ended) }
        }
        body(&devices[index].state.groups[Sample.group, default: GroupState()], version)
    }

    private mutating func send(from index: Int) {
        let to = number(devices.count)
        mail.append((to, devices[index].state))
        if number(3) == 0 { mail.append((to, devices[index].state)) }
        devices[index].unsent = []
        devices[index].unsentInBackup = []
    }

    private mutating func receive(_ state: KeyringState, at index: Int) {
        devices[index].state = devices[index].state.merged(with: state)
        for place in state.places {
            guard let version = state.groups[place.group]?.version(of: place.key) else { continue }
            if !HybridClock.isFarAhead(version.stamp, of: now + devices[index].skew) {
                devices[index].observed = max(devices[index].observed ?? version.stamp, version.stamp)
            }
        }
    }

    private mutating func backUp(_ index: Int) {
        devices[index].backup = devices[index].state
        devices[index].unsentInBackup = devices[index].unsent
    }

    /// Puts the backup in the place of everything, the clock among it: as after a disk has died.
    private mutating func restore(_ index: Int) {
        let lost = devices[index].unsent.subtracting(devices[index].unsentInBackup)
        signOuts.subtract(lost)
        devices[index].unsent = devices[index].unsentInBackup
        devices[index].state = devices[index].backup
        devices[index].clock = nil
        devices[index].observed = nil
    }
}
