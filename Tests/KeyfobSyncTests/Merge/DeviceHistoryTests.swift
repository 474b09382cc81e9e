import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Histories of four devices")
struct DeviceHistoryTests {
    /// How many histories are played.
    private static let count = TestLength.rounds(300, full: 10_000)

    @Test("all come to the same, no sign-out is lost, and no grant returns", arguments: 0..<10 as Range<UInt64>)
    func histories(part: UInt64) {
        var (split, lost, unexplained, signOuts, races) = (0, 0, 0, 0, 0)
        for number in 0..<UInt64(Self.count / 10) {
            var history = DeviceHistory(seed: part << 32 | number)
            let (digests, state) = history.play(steps: 60)
            if digests.count != 1 { split += 1 }
            signOuts += history.signOuts.count
            races += history.refreshesAfterSignOut
            for ended in history.signOuts {
                guard let grant = state.groups[Sample.group]?.grants[ended.key]?.grant else {
                    lost += 1
                    continue
                }
                if grant.epoch < ended.epoch || grant.epoch == ended.epoch && grant.state != .signedOut { lost += 1 }
                // A greater epoch comes from a sign-in only.
                let isExplained = history.signIns.contains(.init(key: ended.key, epoch: grant.epoch))
                if grant.epoch > ended.epoch && !isExplained { unexplained += 1 }
            }
        }
        #expect(split == 0)
        #expect(lost == 0)
        #expect(unexplained == 0)
        // A history without sign-outs, and without refreshes that race them, proves nothing.
        #expect(signOuts > Self.count / 10)
        #expect(races > 0)
    }
}
