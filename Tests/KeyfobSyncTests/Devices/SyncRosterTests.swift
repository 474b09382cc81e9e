import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Who takes part in a sync")
struct SyncRosterTests {
    private static let sync = SyncID.random()
    private static let work = SyncGroupTag(.default, in: sync)
    private static let home = SyncGroupTag(.default, in: .random())
    private let ada = Keys(1)
    private let ben = Keys(2)
    private let eve = Keys(3)
    private let joe = Keys(4)

    /// A device that can sign.
    private final class Keys {
        let identity: SyncIdentity
        var id: SyncDeviceID { identity.device.id }
        var device: SyncDevice { identity.device }

        init(_ number: UInt64) { identity = .generate(number: number) }

        func approves(_ other: Keys, _ scope: SyncScope = .whole, at seconds: Int64 = 0) -> SyncStatement {
            SyncStatement(
                .approval(other.device, scope), by: identity, in: SyncRosterTests.sync, at: Timestamp(seconds: seconds))
        }

        func revokes(_ other: Keys, keeping kept: [SyncStatement] = [], at seconds: Int64 = 9) -> SyncStatement {
            SyncStatement(
                .revocation(other.id, keeping: Set(kept.map(\.hash))), by: identity, in: SyncRosterTests.sync,
                at: Timestamp(seconds: seconds))
        }
    }

    /// Who is in, in the eyes of `own`, in whatever order the statements came.
    private func members(
        _ own: Keys, trusting roots: [(Keys, SyncScope)], _ statements: [SyncStatement]
    ) -> [SyncDeviceID: SyncScope] {
        func seen(_ statements: [SyncStatement]) -> [SyncDeviceID: SyncScope] {
            let roster = SyncRoster(
                roots: roots.map { ($0.0.device, $0.1) }, statements: statements, in: Self.sync, own: own.id)
            return Dictionary(uniqueKeysWithValues: roster.active.map { ($0.device.id, $0.scope) })
        }
        let found = seen(statements)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<6 { #expect(seen(statements.shuffled(using: &generator)) == found) }
        return found
    }

    @Test("who leaves is out, with what it names still counting, and what it says later not")
    func leaving() {
        let let1 = ada.approves(ben), let2 = ben.approves(eve), late = ben.approves(joe, at: 20)
        #expect(
            Set(members(ada, trusting: [(ada, .whole)], [let1, let2, ben.revokes(ben, keeping: [let2]), late]).keys)
                == [ada.id, eve.id])
        // Whom it has kept out stays out, where it names that; what is signed with its keys later keeps nobody out.
        let out = ben.revokes(joe)
        for (kept, joes) in [([out], []), ([], [joe.id])] {
            let statements = [let1, ada.approves(joe), out, ben.revokes(ben, keeping: kept)]
            #expect(Set(members(ada, trusting: [(ada, .whole)], statements).keys) == Set([ada.id] + joes))
            let another = statements + [ben.revokes(ben, keeping: [out], at: 30)]
            #expect(Set(members(ada, trusting: [(ada, .whole)], another).keys) == Set([ada.id] + joes))
        }
        // Nobody leaves for another one, and leaving rescues nothing of what a revoked one has said.
        let attack = ben.revokes(eve, at: 10)
        #expect(
            Set(
                members(
                    ada, trusting: [(ada, .whole)],
                    [
                        let1, ada.approves(eve), ada.revokes(ben), attack, ben.revokes(ben, keeping: [attack, late]),
                        late,
                    ]
                ).keys) == [ada.id, eve.id])
    }

    @Test("an approval reaches as far as its signer, and lets others in who are approved in turn")
    func chain() {
        let found = members(
            ada, trusting: [(ada, .whole)],
            [
                ada.approves(ben, .groups([Self.work])), ben.approves(eve), ben.approves(joe, .groups([Self.home])),
            ])
        #expect(found == [ada.id: .whole, ben.id: .groups([Self.work]), eve.id: .groups([Self.work])])
    }

    @Test("who joins sees those whom the trusted device has let in, as far as that one is trusted")
    func joining() {
        let statements = [ada.approves(ben), ada.approves(eve), eve.approves(joe)]
        #expect(members(ben, trusting: [(ada, .whole)], statements).count == 4)
        let limited = members(ben, trusting: [(ada, .groups([Self.work]))], statements)
        #expect(Set(limited.values) == [.groups([Self.work])] && limited.count == 4)
        #expect(members(ben, trusting: [], statements).isEmpty)
    }

    @Test("nobody lets himself in, and a signature by other keys or in another sync lets nobody in")
    func forged() throws {
        let own = members(ada, trusting: [(ada, .whole)], [eve.approves(eve), eve.approves(ben)])
        #expect(own.keys.sorted() == [ada.id])
        let elsewhere = SyncStatement(
            .approval(eve.device, .whole), by: ada.identity, in: .random(), at: Timestamp(seconds: 0))
        #expect(members(ada, trusting: [(ada, .whole)], [elsewhere]).keys.sorted() == [ada.id])
        let good = ada.approves(ben)
        let other = eve.approves(ben)
        let swapped = try SyncStatement(SignedBytes(body: good.signed.body, signature: other.signed.signature))
        #expect(members(ada, trusting: [(ada, .whole)], [swapped]).keys.sorted() == [ada.id])
    }

    @Test("a revocation takes the device, and whom it alone had let in unless that is named")
    func revocation() {
        let byBen = [ben.approves(eve, at: 1), ben.approves(joe, at: 2)]
        let known = [ada.approves(ben)] + byBen
        let found = members(ada, trusting: [(ada, .whole)], known + [ada.revokes(ben, keeping: [byBen[1]])])
        #expect(Set(found.keys) == [ada.id, joe.id])
        // What it says afterwards counts for nothing, whatever time it claims and of whomever it says it.
        let kept = [ada.approves(joe, .groups([Self.work])), ada.revokes(ben)]
        let later = [ben.approves(eve, at: -5), ben.approves(joe, at: -6), ben.revokes(joe, at: -7), ben.revokes(ada)]
        let after = members(ada, trusting: [(ada, .whole)], known + kept + later)
        #expect(after == [ada.id: .whole, joe.id: .groups([Self.work])])
        #expect(members(joe, trusting: [(ada, .whole)], known + kept + later) == after)
    }

    @Test("a revocation by a device that is revoked later stays where it is named, and counts for nothing else")
    func namedRevocation() {
        let out = ben.revokes(joe, at: 1)
        let known = [ada.approves(ben), ada.approves(joe), ada.approves(eve), out]
        let found = members(
            ada, trusting: [(ada, .whole)], known + [ada.revokes(ben, keeping: [out]), ben.revokes(eve)])
        #expect(Set(found.keys) == [ada.id, eve.id])
        #expect(
            Set(members(ada, trusting: [(ada, .whole)], known + [ada.revokes(ben)]).keys) == [ada.id, joe.id, eve.id])
    }

    @Test("whom a revoked device let in does not stay because it revokes that one too")
    func accomplice() {
        let evil = ben.approves(joe, at: 3)
        let said = [
            ada.approves(ben), ben.approves(eve), evil, ben.revokes(ada), ada.revokes(ben),
            eve.revokes(ben, keeping: [evil, ben.revokes(ada)], at: 1), eve.revokes(ada, at: 1),
        ]
        #expect(members(ada, trusting: [(ada, .whole)], said).keys.sorted() == [ada.id])
        let third = Keys(9)
        let seen = members(third, trusting: [(ada, .whole)], said + [ada.approves(third)])
        #expect(Set(seen.keys) == [ada.id, third.id])
    }

    @Test("of two that revoke each other the one that trust reaches first stays")
    func mutual() {
        let said = [ada.approves(ben), ben.approves(eve), ada.approves(eve), ben.revokes(ada), ada.revokes(ben)]
        #expect(Set(members(eve, trusting: [(ada, .whole)], said).keys) == [ada.id, eve.id])
        #expect(Set(members(eve, trusting: [(ben, .whole)], said).keys) == [ben.id, eve.id])
    }

    @Test("who was let in by a revoked device alone revokes nobody")
    func lateRevoker() {
        let found = members(
            ada, trusting: [(ada, .whole)],
            [ada.approves(ben), ada.approves(joe), ada.revokes(ben), ben.approves(eve), eve.revokes(joe)])
        #expect(Set(found.keys) == [ada.id, joe.id])
    }

    @Test("one that was let in by the device that it revokes stays in the eyes of others")
    func successor() {
        let statements = [joe.approves(ada), ada.approves(ben), ben.revokes(ada)]
        let found = members(joe, trusting: [(joe, .whole)], statements)
        #expect(Set(found.keys) == [joe.id, ben.id])
    }

    @Test("only who shares all groups of a device revokes it, and nobody revokes this vault in its own eyes")
    func limits() {
        let limited = [ada.approves(ben, .groups([Self.work])), ada.approves(eve), ben.revokes(eve), ben.revokes(ada)]
        #expect(Set(members(ada, trusting: [(ada, .whole)], limited).keys) == [ada.id, ben.id, eve.id])
        let equals = [ada.approves(eve), eve.revokes(ada)]
        #expect(members(ada, trusting: [(ada, .whole)], equals).keys.contains(ada.id))
        #expect(members(eve, trusting: [(ada, .whole)], equals).keys.contains(ada.id) == false)
    }

    @Test("there are never more devices than an age file is encrypted for")
    func limit() {
        let many = (0..<80).map { ada.approves(Keys(UInt64($0))) }
        #expect(members(ada, trusting: [(ada, .whole)], many).count == SyncRoster.deviceLimit)
    }

    @Test("revoked devices do not count as devices, and one that shares some groups lets few in, by whomever")
    func limitOfPartial() {
        let old = (0..<66).map { Keys(UInt64(100 + $0)) }
        let gone = old.flatMap { [ada.approves($0), ada.revokes($0)] }
        let own = [ada.approves(ben, .groups([Self.work])), ada.approves(eve)]
        let roster = SyncRoster(roots: [(ada.device, .whole)], statements: gone + own, in: Self.sync, own: ada.id)
        #expect(Set(roster.active.map(\.device.id)) == [ada.id, ben.id, eve.id])
        let first = Keys(200)
        let many =
            (0..<30).map { ben.approves(Keys(UInt64(300 + $0)), at: 5) }
            + [ben.approves(first, at: 1)] + (0..<30).map { first.approves(Keys(UInt64(400 + $0)), at: 2) }
        let crowded = members(ada, trusting: [(ada, .whole)], own + many)
        #expect(crowded.count == 3 + SyncRoster.partialLimit && crowded[first.id] != nil)
        let late = own + many + (0..<40).map { ada.approves(Keys(UInt64(500 + $0)), at: 9) }
        #expect(members(ada, trusting: [(ada, .whole)], late).count == 43 + SyncRoster.partialLimit)
    }

    @Test("of what is said as much is kept as leaves room for the rest: revocations first, one of each about each")
    func kept() throws {
        func roster(_ said: [SyncStatement]) -> SyncRoster {
            SyncRoster(roots: [(ada.device, .whole)], statements: said, in: Self.sync, own: ada.id)
        }
        let good = [ada.approves(ben, .groups([Self.work])), ada.approves(eve), eve.approves(joe)]
        let flood = (0..<1_500).map { ben.approves($0 < 700 ? ben : Keys(UInt64($0)), at: Int64($0)) }
        let said = flood + good + [ada.revokes(ben)]
        let kept = roster(said).kept(of: said)
        #expect(Set(kept).isSuperset(of: good))
        #expect(kept.contains { $0.isRevocation } && kept.count { $0.signer == ben.id } <= 32)
        // The latest of each about each, and a revocation that another one names rather than a later one.
        let named = eve.revokes(joe, at: 1)
        let replaced = [
            ada.approves(eve, .groups([Self.work]), at: 0), ada.approves(eve, at: 1), ada.approves(joe), named,
            ada.revokes(eve, keeping: [named], at: 2), eve.revokes(joe, at: 8),
        ]
        let left = roster(replaced).kept(of: replaced)
        #expect(Set(left) == Set([replaced[1], replaced[2], replaced[3], replaced[4]]))
        #expect(Set(roster(left).active.map(\.device.id)) == [ada.id])
    }

    @Test("a statement that is longer than any need be is none, and a head with one is read without it")
    func long() throws {
        let tags = (0..<65).map { _ in SyncGroupTag(.default, in: .random()) }
        let hashes = (0..<65).map { [UInt8](repeating: UInt8($0), count: 16) }
        for count in [64, 65] {
            let wide = ada.approves(ben, .groups(Set(tags.prefix(count))))
            let deep = SyncStatement(
                .revocation(ben.id, keeping: Set(hashes.prefix(count))), by: ada.identity, in: Self.sync,
                at: Timestamp(seconds: 0))
            for statement in [wide, deep] {
                #expect(((try? SyncStatement(statement.signed)) != nil) == (count == 64))
                let head = SyncHead(
                    device: ada.device, sequence: 1, previous: [], time: Timestamp(seconds: 0), name: "", files: [],
                    seen: [:], statements: [statement, ada.approves(joe)])
                let read = try SyncHead(head.signed(by: ada.identity, in: Self.sync), in: Self.sync)
                #expect(read.statements.count == (count == 64 ? 2 : 1))
            }
        }
    }

    @Test("a number is that of the device that was in first")
    func numbers() {
        let thief = Keys(1)
        let said = [ada.approves(ben), ada.approves(eve), eve.approves(thief, at: -9)]
        for own in [ada, ben, eve] {
            let roster = SyncRoster(roots: [(ada.device, .whole)], statements: said, in: Self.sync, own: own.id)
            #expect(roster.holder(of: 1) == ada.id && roster.isActive(thief.id))
        }
        let another = Keys(2)
        let roster = SyncRoster(
            roots: [(ada.device, .whole)], statements: said + [eve.approves(another, at: -9)], in: Self.sync,
            own: ben.id)
        #expect(roster.holder(of: 2) == ben.id)
    }
}
