import Foundation
import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("Histories of machines that synchronise", .waitsForPrograms)
struct SyncHistoryTests {
    /// `KEYFOB_HISTORIES` is how many, for a longer search than a full run.
    private static let count =
        ProcessInfo.processInfo.environment["KEYFOB_HISTORIES"].flatMap(UInt64.init)
        ?? UInt64(TestLength.rounds(10, full: 500))

    @Test(
        "all come to the same, no sign-out is lost, nothing is undone, and nothing is found wrong",
        arguments: 0..<2 as Range<UInt64>)
    func histories(part: UInt64) throws {
        var (signOuts, races, merges, acts) = (0, 0, 0, 0)
        for number in 0..<Self.count / 2 {
            let seed = part << 32 | number
            var history = try SyncHistory(seed: seed)
            try history.play(steps: 45)
            let machines = history.home.machines
            let first = try machines[0].shared()
            for machine in machines.dropFirst() {
                let other = try machine.shared()
                for key in Set(first.keys).union(other.keys) where first[key] != other[key] {
                    let both = "\(first[key] ?? "-") here, \(other[key] ?? "-") on \(machine.name)"
                    Issue.record("seed \(seed): \(key): \(both)")
                }
            }
            for machine in machines {
                let findings = try machine.keyring.sync.status().findings.map(\.text)
                #expect(findings.isEmpty, "seed \(seed): \(machine.name)")
                let items = try machine.items()
                for ended in history.signOuts {
                    guard let grant = items[ended.key]?.item.content.credential?.grant else { continue }
                    #expect(grant.state != .active || grant.epoch > ended.epoch, "seed \(seed): \(ended.key)")
                }
            }
            signOuts += history.signOuts.count
            races += history.races
            merges += history.merges
            acts += history.acts
            for text in history.undone { Issue.record("seed \(seed): undone: \(text)") }
        }
        // Histories without sign-outs, merges and, in a full run, refreshes that race sign-outs prove nothing.
        #expect(
            signOuts > Int(Self.count) / 8 && merges > Int(Self.count) / 8 && acts > Int(Self.count) / 8,
            "\(signOuts), \(merges), \(acts)")
        #expect(races > 0 || !TestLength.isFull)
    }
}
