import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@Suite("Heads")
final class SyncHeadTests {
    private let sync = SyncID.random()
    private let identity = SyncIdentity.generate(number: 5)

    private func head(_ sequence: UInt64, after previous: [[UInt8]] = [], name: String = "one") -> (
        SeenHead, SignedBytes
    ) {
        let head = SyncHead(
            device: identity.device, sequence: sequence, previous: previous, time: Timestamp(seconds: 1), name: name,
            files: [], seen: [:], statements: [])
        let signed = head.signed(by: identity, in: sync)
        let mark = SyncHead.Mark(sequence: sequence, hash: SyncHead.hash(of: signed))
        return (SeenHead(mark, previous: head.previous), signed)
    }

    /// Heads one after the other.
    private func chain(_ count: Int, from start: [SeenHead] = [], name: String = "one") -> [SeenHead] {
        var chain = start
        while chain.count < count {
            let previous = chain.suffix(SyncHead.previousLimit).reversed().map(\.mark.hash)
            chain.append(head(UInt64(chain.count + 1), after: Array(previous), name: name).0)
        }
        return chain
    }

    @Test("of one history are the same, newer or older")
    func history() {
        let heads = chain(40)
        for (first, second) in [(0, 1), (3, 9), (0, 39), (20, 22)] {
            #expect(heads[first].verdict(on: heads[second]) == .newer)
            #expect(heads[second].verdict(on: heads[first]) == .older)
        }
        #expect(heads[3].verdict(on: heads[3]) == .same)
    }

    @Test("of two histories are told apart, whichever of the two has come further", arguments: [1, 2, 10, 31])
    func fork(later: Int) {
        let common = chain(5)
        let (left, right) = (chain(6, from: common), chain(5 + later, from: common, name: "two"))
        #expect(left[5].verdict(on: right[4 + later]) == .forked)
        #expect(right[4 + later].verdict(on: left[5]) == .forked)
    }

    private func version(_ number: UInt64) -> ItemVersion {
        ItemVersion(stamp: Stamp(value: number), device: number + 7)
    }

    @Test("come back as they were written, and every flipped bit shows")
    func bytes() throws {
        let other = SyncIdentity.generate(number: 6)
        let statement = SyncStatement(
            .approval(other.device, .groups([SyncGroupTag(.default, in: sync)])), by: identity, in: sync,
            at: Timestamp(seconds: 3))
        let file = SyncHead.GroupFile(
            group: SyncGroupTag(.default, in: sync), hash: [UInt8](repeating: 7, count: 32), size: 99, sequence: 4,
            position: 3, after: 2)
        let whole = SyncHead.GroupFile(
            group: SyncGroupTag(.default, in: sync), hash: [UInt8](repeating: 6, count: 32), size: 98, sequence: 3,
            position: 2)
        let head = SyncHead(
            device: identity.device, sequence: 5, previous: (1...4).map { [UInt8](repeating: $0, count: 16) },
            time: Timestamp(seconds: -1), name: "ä", files: [whole, file],
            seen: [other.device.id: .init(sequence: 8, hash: [UInt8](repeating: 2, count: 16))],
            statements: [statement],
            groups: [
                SyncGroupTag(.default, in: sync): .init(named: version(1), removed: version(2)),
                SyncGroupTag(.default, in: sync, number: 1): .init(removed: version(3)),
            ])
        let signed = head.signed(by: identity, in: sync)
        #expect(try SyncHead(signed, in: sync) == head)
        #expect(signed.isSigned(by: identity.device, as: .head, in: sync))
        #expect(!signed.isSigned(by: identity.device, as: .statement, in: sync))
        #expect(!signed.isSigned(by: other.device, as: .head, in: sync))
        for index in signed.body.indices {
            var body = signed.body
            body[index] ^= 1
            let changed = SignedBytes(body: body, signature: signed.signature)
            #expect(!changed.isSigned(by: identity.device, as: .head, in: sync))
            // It is read, or refused, without a trap.
            _ = try? SyncHead(changed, in: sync)
        }
        for count in 0..<signed.body.count {
            let cut = SignedBytes(body: Array(signed.body.prefix(count)), signature: signed.signature)
            #expect((try? SyncHead(cut, in: sync)) != head)
        }
    }

    @Test("with too few hashes of those before, or with files of later ones, are none")
    func numbers() throws {
        let tag = SyncGroupTag(.default, in: sync)
        func isRead(_ sequence: UInt64, _ previous: Int, sequence written: UInt64 = 1, position: UInt64 = 1) -> Bool {
            let file = SyncHead.GroupFile(
                group: tag, hash: [UInt8](repeating: 7, count: 32), size: 9, sequence: written, position: position)
            let head = SyncHead(
                device: identity.device, sequence: sequence,
                previous: [[UInt8]](repeating: [UInt8](repeating: 1, count: 16), count: previous),
                time: Timestamp(seconds: 1), name: "one", files: [file], seen: [:], statements: [])
            return (try? SyncHead(head.signed(by: identity, in: sync), in: sync)) != nil
        }
        let cases: [(sequence: UInt64, count: Int)] = [(2, 1), (32, 31), (33, 32), (34, 32), (.max, 32)]
        for (sequence, count) in cases {
            #expect(isRead(sequence, count) && !isRead(sequence, count - 1))
            if count < 32 { #expect(!isRead(sequence, count + 1)) }
        }
        #expect(isRead(1, 0) && !isRead(1, 1) && !isRead(0, 0))
        #expect(isRead(3, 2, sequence: 3, position: 3))
        #expect(!isRead(3, 2, sequence: 4) && !isRead(3, 2, position: 4))
    }

    private func told() -> SyncState.ToldGroup {
        var told = SyncState.ToldGroup()
        (told.basis, told.readers, told.name, told.change, told.content) = ([1], [[2], [3]], "work", 7, [3])
        told.segments = [.init(after: 1, start: 2, weight: 3, size: 4), .init(after: 5, start: 6, weight: 0, size: 8)]
        (told.isStale, told.traits) = (true, [[9]: [10], [11]: [12]])
        return told
    }

    @Test("the state of a vault comes back as it was written")
    func state() throws {
        var state = SyncState(remote: "/r", name: "n", place: [1, 2])
        state.sync = sync
        state.roots = [
            .init(id: identity.device.id, scope: .groups([SyncGroupTag(.default, in: sync)]), groups: [.default]),
            .init(id: identity.device.id, scope: .whole, device: identity.device),
        ]
        state.statements = [
            SyncStatement(
                .revocation(identity.device.id, keeping: [[UInt8](repeating: 9, count: 16)]), by: identity, in: sync,
                at: Timestamp(seconds: 3))
        ]
        let tag = SyncGroupTag(.default, in: sync)
        let file = SyncHead.GroupFile(
            group: tag, hash: [UInt8](repeating: 7, count: 32), size: 99, sequence: 4, position: 3, after: 2)
        let seen = chain(3)[2]
        state.peers[identity.device.id] = .init(head: seen, name: "p", time: Timestamp(seconds: 4), files: [file])
        state.peers[identity.device.id]?.merged = [tag: 9]
        state.own = .init(head: seen, files: [file], told: [tag: told()], roster: [4], isConfirmed: true)
        state.peers[identity.device.id]?.named = [tag: version(4)]
        state.groups = [
            tag: .init(id: .random(), name: .default, named: version(5)),
            SyncGroupTag(.default, in: sync, number: 1): .init(id: .random(), name: .default),
        ]
        (state.removedGroups, state.resumes) = ([SyncGroupTag(.default, in: sync, number: 2): version(6)], true)
        state.unread = [tag, SyncGroupTag(.default, in: sync, number: 1)]
        #expect(state.unusedTag(for: .default, in: sync) == SyncGroupTag(.default, in: sync, number: 3))
        for kind in SyncFinding.Kind.allCases {
            state.note(SyncFinding(kind, identity.device.id, at: Timestamp(seconds: 6), found: 1, seen: 2))
            state.note(SyncFinding(kind, identity.device.id, at: Timestamp(seconds: 7)))
        }
        #expect(state.findings.count == SyncFinding.Kind.allCases.count)
        state.decided = [7: .whole, .max: .none, 0: .groups([tag])]
        state.damaged = [identity.device.id: .init(hash: [5], time: Timestamp(seconds: 9))]
        (state.natives, state.sequence) = ([1, .max - 1], 12)
        state.last = Timestamp(seconds: 8)
        let bytes = state.encoded(with: identity)
        let (read, number) = try SyncState.decoded(bytes)
        #expect(read == state && number == 5)
        #expect(SyncState.identity(bytes, number: number)?.device == identity.device)
    }
}
