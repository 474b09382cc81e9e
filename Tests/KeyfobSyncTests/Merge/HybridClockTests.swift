import KeyfobModel
import KeyfobSync
import Testing

@Suite("The hybrid clock")
struct HybridClockTests {
    private static let day: Int64 = 86_400_000
    private static let now: Int64 = 1_800_000_000_000

    private func stamp(_ milliseconds: Int64) -> Stamp { Stamp(milliseconds: milliseconds, after: nil) }

    @Test("without anything before, it is the wall clock")
    func wallClock() {
        #expect(HybridClock.next(now: Self.now, previous: nil) == stamp(Self.now))
    }

    @Test("it is always greater than the one before", arguments: [-Self.day, -1, 0, 1, Self.day, 100 * Self.day])
    func grows(ahead: Int64) {
        let previous = stamp(Self.now + ahead)
        let next = HybridClock.next(now: Self.now, previous: previous)
        #expect(next > previous)
        #expect(next >= stamp(Self.now))
    }

    @Test(
        "it follows what others wrote, but no more than a day ahead",
        arguments: [(-1, true), (0, true), (1, true), (Self.day, true), (Self.day + 1, false), (1 << 46, false)])
    func follows(ahead: Int64, isFollowed: Bool) {
        let observed = stamp(Self.now + ahead)
        let next = HybridClock.next(now: Self.now, previous: nil, observed: observed)
        #expect((next > observed) == isFollowed)
        if !isFollowed { #expect(next == stamp(Self.now)) }
    }

    @Test("a counter that is full carries into the milliseconds")
    func carries() {
        let previous = Stamp(value: UInt64(Self.now) << 16 | 0xFFFF)
        #expect(HybridClock.next(now: Self.now, previous: previous) == stamp(Self.now + 1))
    }

    @Test("clocks beyond the range are held at its ends", arguments: [Int64.min, -1, 0, 1 << 48, .max])
    func ends(now: Int64) {
        let last = Stamp(value: .max)
        #expect(HybridClock.next(now: now, previous: last) == last)
        #expect(HybridClock.next(now: now, previous: nil).milliseconds == max(0, min(now, 1 << 48 - 1)))
    }
}
