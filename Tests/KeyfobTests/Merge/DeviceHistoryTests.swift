import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Histories of four devices")
struct DeviceHistoryTests {
    /// How many are played.
    private static let count = UInt64(TestLength.rounds(300, full: 10_000))

    /// What went wrong, as numbers, and what proves that there was something to go wrong.
    private struct Findings {
        var (split, lost, unexplained, orphans) = (0, 0, 0, 0)
        var (signOuts, races) = (0, 0)

        mutating func play(seed: UInt64, _ store: (UInt64) throws -> any DeviceStore) throws {
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
        }
    }

    @Test(
        "all come to the same, no sign-out is lost, no grant returns, and of a removed account nothing is left",
        arguments: 0..<3 as Range<UInt64>)
    func histories(part: UInt64) throws {
        var findings = Findings()
        for number in 0..<Self.count / 3 {
            try findings.play(seed: part << 32 | number) { try MemoryStore(device: $0) }
        }
        #expect((findings.split, findings.lost, findings.unexplained, findings.orphans) == (0, 0, 0, 0))
        // A history without sign-outs, and without refreshes that race them, proves nothing.
        #expect(findings.signOuts > Self.count / 3)
        #expect(findings.races > 0)
    }

    @Test("the same holds for databases", arguments: 0..<2 as Range<UInt64>)
    func databases(seed: UInt64) throws {
        var findings = Findings()
        try findings.play(seed: seed) { try DatabaseStore(device: $0) }
        #expect((findings.split, findings.lost, findings.unexplained, findings.orphans) == (0, 0, 0, 0))
    }
}
