import Keyfob
import Testing

@testable import KeyfobAgent

@Suite("When a token in a file is replaced")
struct TokenRenewalTests {
    private let start = Timestamp(seconds: 1_000_000)

    /// After how many seconds another one is asked for.
    private func due(_ renewal: TokenRenewal) -> Int64? {
        (0...100_000).first { second in
            var renewal = renewal
            return renewal.isDue(start.advanced(by: second))
        }
    }

    @Test(
        "is as long before its end as was asked for or is usual, or after half of its time, and not at once",
        arguments: [
            (3_600, 300, 3_300), (3_600, 0, 3_300), (400, 300, 200), (86_400, 86_400, 43_200), (3, 300, 2),
            (-5, 300, 2), (3_600, nil, 3_300), (310, nil, 279), (300, nil, 270), (60, nil, 54), (30, nil, 27),
            (3, nil, 2),
        ] as [(Int64, Int64?, Int64)])
    func given(life: Int64, minimumValidity: Int64?, expected: Int64) {
        var renewal = TokenRenewal(minimumValidity: minimumValidity)
        renewal.isGiven(start.advanced(by: life), now: start)
        #expect(due(renewal) == expected)
        #expect(renewal.seconds(from: start).map { $0 <= 60 } == true)
        #expect(renewal.isDue(start.advanced(by: expected)) && !renewal.isDue(start.advanced(by: expected)))
        #expect(renewal.seconds(from: start) == nil)
    }

    @Test("is never for one that does not expire, and soon again where there was none")
    func refused() {
        var renewal = TokenRenewal(minimumValidity: 300)
        renewal.isGiven(nil, now: start)
        #expect(due(renewal) == nil && renewal.seconds(from: start) == nil)
        for (life, expected) in [(300, 60), (30, 15), (3, 2), (-10, 60)] as [(Int64, Int64)] {
            renewal.isGiven(start.advanced(by: life), now: start)
            renewal.isRefused(now: start)
            #expect(due(renewal) == expected)
        }
    }
}
