import KeyfobModel
import KeyfobOAuth
import Testing

@Suite("For how long a request is waited for on which a person's answer depends")
struct ShortPatienceTests {
    private let now = Timestamp(seconds: 1_700_000_000)

    /// After how many seconds each further request is made that fails so.
    private func waits(_ failure: ProviderFailure) -> [Int64] {
        var (patience, waits) = (ShortPatience(), [Int64]())
        while let seconds = patience.wait(after: failure, now: now), waits.count < 10 { waits.append(seconds) }
        return waits
    }

    @Test("is as long as the provider says, and half a minute in all")
    func said() {
        for (retry, expected) in [
            (1, [1, 1, 1]), (0, [1, 1, 1]), (-5, [1, 1, 1]), (10, [10, 10, 10]), (20, [20]), (30, [30]), (31, []),
            (3_600, []), (.max, []),
        ] as [(Int64, [Int64])] {
            #expect(waits(.throttled(until: now.advanced(by: retry))) == expected)
            #expect(waits(.serverDown(status: 503, retryAt: now.advanced(by: retry))) == expected)
        }
    }

    @Test("is a second where it does not say, and nothing where it has decided")
    func unsaid() {
        #expect(waits(.serverDown(status: 500, retryAt: nil)) == [1, 1, 1])
        #expect(waits(.unreachable(.refused)) == [1, 1, 1])
        #expect(waits(.outcomeUnknown).isEmpty)
        #expect(waits(.unexpectedStatus(404)).isEmpty)
    }
}
