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

        func revokes(_ other: Keys, keeping kept: [Keys] = [], at seconds: Int64 = 9) -> SyncStatement {
            SyncStatement(
                .revocation(other.id, keeping: Set(kept.map(\.id))), by: identity, in: SyncRosterTests.sync,
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

    @Test("a revocation takes the device, and whom it alone had let in unless they are named")
    func revocation() {
        let let_in = [ada.approves(ben), ben.approves(eve, at: 1), ben.approves(joe, at: 2)]
        let found = members(ada, trusting: [(ada, .whole)], let_in + [ada.revokes(ben, keeping: [ada, joe])])
        #expect(Set(found.keys) == [ada.id, joe.id])
        // What it says afterwards counts for nothing, whatever time it claims.
        let later = let_in + [ada.revokes(ben, keeping: [joe]), ben.approves(eve, at: -5), ben.revokes(joe)]
        let after = members(ada, trusting: [(ada, .whole)], later)
        #expect(!after.keys.contains(eve.id) && !after.keys.contains(ben.id) && after.keys.contains(ada.id))
    }

    @Test("who was let in by a revoked device alone revokes nobody")
    func lateRevoker() {
        let found = members(
            ada, trusting: [(ada, .whole)],
            [
                ada.approves(ben), ada.approves(joe), ada.revokes(ben, keeping: [ada, joe]), ben.approves(eve),
                eve.revokes(joe),
            ])
        #expect(Set(found.keys) == [ada.id, joe.id])
    }

    @Test("one that was let in by the device that it revokes stays in the eyes of others")
    func successor() {
        let statements = [joe.approves(ada), ada.approves(ben), ben.revokes(ada, keeping: [joe])]
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
}
