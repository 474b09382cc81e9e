import KeyfobModel
import Testing

@Suite("Stamps")
struct StampTests {
    private static let day: Int64 = 86_400_000
    private static let now: Int64 = 1_800_000_000_000

    private func stamp(_ milliseconds: Int64) -> Stamp { Stamp(milliseconds: milliseconds, after: nil) }

    @Test("one is always greater than the one before", arguments: [-Self.day, -1, 0, 1, Self.day, 100 * Self.day])
    func grows(ahead: Int64) {
        let previous = stamp(Self.now + ahead)
        let next = Stamp(milliseconds: Self.now, after: previous)
        #expect(next > previous)
        #expect(next >= stamp(Self.now))
    }

    @Test("a counter that is full carries into the milliseconds")
    func carries() {
        let previous = Stamp(value: UInt64(Self.now) << 16 | 0xFFFF)
        #expect(Stamp(milliseconds: Self.now, after: previous) == stamp(Self.now + 1))
    }

    @Test("clocks beyond the range are held at its ends", arguments: [Int64.min, -1, 0, 1 << 48, .max])
    func ends(now: Int64) {
        let last = Stamp(value: .max)
        #expect(Stamp(milliseconds: now, after: last) == last)
        #expect(stamp(now).milliseconds == max(0, min(now, 1 << 48 - 1)))
    }

    @Test("more than a day ahead is far ahead", arguments: [(Self.day, false), (Self.day + 1, true), (-1, false)])
    func farAhead(ahead: Int64, isFar: Bool) {
        #expect(stamp(Self.now + ahead).isFarAhead(of: Self.now) == isFar)
        #expect(!stamp(Self.now).isFarAhead(of: .max))
    }
}
