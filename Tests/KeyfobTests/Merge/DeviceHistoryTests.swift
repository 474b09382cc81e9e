import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Histories of four devices")
struct DeviceHistoryTests {
    /// How many are played.
    private static let count = UInt64(TestLength.rounds(150, full: 10_000))

    /// What went wrong, as numbers, and what proves that there was something to go wrong.
    private struct Findings {
        var (split, lost, unexplained, orphans) = (0, 0, 0, 0)
        var (signOuts, races) = (0, 0)

        /// How many accounts were removed and did not come back.
        @discardableResult
        mutating func play(seed: UInt64, _ store: (UInt64) throws -> any DeviceStore) throws -> Int {
            var history = try DeviceHistory(seed: seed, store)
            let states = try history.play(steps: 60)
            if Set(states).count != 1 { split += 1 }
            if let group = states[0].groups[.default], !group.orphans.isEmpty { orphans += 1 }
            signOuts += history.signOuts.count
            races += history.refreshesAfterSignOut
            for ended in history.signOuts {
                guard let grant = states[0].groups[.default]?.grants[ended.key]?.grant else {
                    lost += 1
                    continue
                }
                if grant.epoch < ended.epoch || grant.epoch == ended.epoch && grant.state != .signedOut { lost += 1 }
                // A greater epoch comes from a sign-in only.
                let isExplained = history.signIns.contains(.init(key: ended.key, epoch: grant.epoch))
                if grant.epoch > ended.epoch && !isExplained { unexplained += 1 }
            }
            return states[0].groups[.default]?.items.count { $0.kind == .account && $1.isDeleted } ?? 0
        }
    }

    @Test(
        """
        all come to the same, no sign-out is lost, no grant returns, and of a removed account nothing is left, in whatever \
        way one asks
        """,
        arguments: 0..<3 as Range<UInt64>)
    func histories(part: UInt64) throws {
        var findings = Findings()
        let outputs = try OutputAgreement()
        var (removals, tokens) = (0, 0)
        for number in 0..<Self.count / 3 {
            var stores: [MemoryStore] = []
            removals += try findings.play(seed: part << 32 | number) { device in
                let store = try MemoryStore(device: device, directory: outputs.directory)
                stores.append(store)
                return store
            }
            tokens += try outputs.require(of: stores[Int(number % 4)])
        }
        #expect((findings.split, findings.lost, findings.unexplained, findings.orphans) == (0, 0, 0, 0))
        // Histories without sign-outs, refreshes that race them, removed accounts and tokens prove nothing.
        #expect(findings.signOuts > Self.count / 3 && findings.races > 0)
        #expect(removals > Self.count / 12 && tokens > Self.count / 6, "\(removals) removals, \(tokens) tokens")
    }

    @Test("the same holds for databases", arguments: 0..<2 as Range<UInt64>)
    func databases(seed: UInt64) throws {
        var findings = Findings()
        try findings.play(seed: seed) { try DatabaseStore(device: $0) }
        #expect((findings.split, findings.lost, findings.unexplained, findings.orphans) == (0, 0, 0, 0))
    }
}
