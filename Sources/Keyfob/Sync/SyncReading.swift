internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

/// What is there of a device.
struct SyncReading {
    /// The highest of its heads; nil where none is right.
    var head: SyncHead?
    /// How that one is known.
    var seen: SeenHead?
    /// What is wrong: at most one of each kind.
    var problems: Set<SyncFinding.Kind> = []
    /// What stands for the bytes that do not open.
    private(set) var damage: [UInt8]?

    /// Reads the heads of a device, copies that a service made of them among them.
    ///
    /// - Parameters:
    ///   - device: The device; nil where only its id is known, which its head must fit.
    ///   - sync: The sync; nil where the head is to tell.
    init(
        of id: SyncDeviceID, _ device: SyncDevice?, in sync: SyncID?, _ folder: SyncFolder,
        with identity: borrowing SyncIdentity
    ) {
        let files = folder.heads(of: id)
        if files.isEmpty { problems.insert(.missing) }
        for bytes in files {
            let signed: SignedBytes
            do {
                signed = try SyncEnvelope.open(bytes, with: identity)
            } catch {
                switch error {
                case .notForUs: problems.insert(.closed)
                case .damaged:
                    problems.insert(.incomplete)
                    damage = BLAKE2b.hash(bytes, count: 16)
                }
                continue
            }
            guard let sync = sync ?? SyncHead.sync(of: signed), let head = try? SyncHead(signed, in: sync),
                head.device.id == id, device == nil || head.device == device,
                signed.isSigned(by: head.device, as: .head, in: sync)
            else {
                problems.insert(.forged)
                continue
            }
            take(
                head,
                SeenHead(
                    SyncHead.Mark(sequence: head.sequence, hash: SyncHead.hash(of: signed)), previous: head.previous),
                sync)
        }
        // A copy that nobody can read any more says nothing where there is a head.
        if head != nil {
            problems.subtract([.closed, .incomplete, .missing])
            damage = nil
        }
    }

    /// The sync that the head is of.
    private(set) var sync: SyncID?

    private mutating func take(_ other: SyncHead, _ otherSeen: SeenHead, _ sync: SyncID) {
        if let seen {
            switch seen.verdict(on: otherSeen) {
            case .same, .older: return
            case .forked: problems.insert(.forked)
            case .newer: break
            }
            if otherSeen.mark.sequence <= seen.mark.sequence { return }
        }
        (head, seen, self.sync) = (other, otherSeen, sync)
    }
}
