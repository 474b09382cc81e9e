import KeyfobModel
import KeyfobSync
import Testing

@Suite("The order of grants")
struct GrantOrderTests {
    /// Each beats the ones before it.
    private static let ascending: [(Grant.State, epoch: UInt64, generation: UInt64, at: Int64, device: UInt64)] = [
        (.active, 1, 1, 9_000, 9),
        (.active, 1, 2, 1_000, 1),
        (.active, 1, 2, 2_000, 1),
        (.active, 1, 2, 2_000, 2),
        (.needsSignIn(reason: "expired"), 1, 2, 500, 1),
        (.active, 1, 3, 100, 1),
        (.needsSignIn(reason: "expired"), 1, 3, 50, 1),
        (.signedOut, 1, 1, 10, 1),
        (.signedOut, 1, 2, 5, 1),
        (.active, 2, 1, 1, 1),
        (.signedOut, 2, 1, 0, 1),
        (.needsSignIn(reason: "revoked"), 3, 1, 0, 1),
        (.signedOut, 3, 0, 0, 0),
    ]

    private static func grant(_ index: Int) throws -> GrantItem {
        let (state, epoch, generation, time, device) = ascending[index]
        let credential = Sample.refreshToken(state: state, epoch: epoch, generation: generation)
        return try Sample.grant(credential, secret: 1, at: time, device: device)
    }

    @Test("the later of two in the list wins, from either side", arguments: ascending.indices, ascending.indices)
    func order(first: Int, second: Int) throws {
        let (one, two) = (try Self.grant(first), try Self.grant(second))
        let (joined, winner) = (one.joined(with: two), first < second ? two : one)
        #expect(joined.hasSameContent(as: winner) && joined.version == winner.version)
        #expect(joined.grant.latestEnded == max(one.grant.latestEnded, two.grant.latestEnded))
    }

    @Test("of two that are alike in all else, the same one wins from either side")
    func digestDecides() throws {
        let one = try Sample.grant(Sample.refreshToken(), secret: 1, at: 1)
        let two = try Sample.grant(Sample.refreshToken(), secret: 2, at: 1)
        #expect(one != two)
        #expect(one.joined(with: two) == two.joined(with: one))
    }

    @Test("clients, families and partitions have grants of their own")
    func keys() {
        var credentials = [Sample.refreshToken(), Sample.refreshToken(client: "other"), Sample.refreshToken("grace")]
        credentials.append(Sample.refreshToken())
        credentials[3].familyID = "1"
        credentials.append(Sample.refreshToken())
        credentials[4].familyID = ""
        credentials.append(Sample.refreshToken())
        credentials[5].additionalFields = AdditionalFields([.init(name: "user_assertion_hash", json: "\"h\"")])
        #expect(Set(credentials.map(ItemKey.init)).count == credentials.count)
    }
}
