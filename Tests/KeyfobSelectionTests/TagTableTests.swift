import Testing

@testable import KeyfobSelection

@Suite("Places by tags")
struct TagTableTests {
    @Test(
        "every tag has its own place, also where all look alike, and others have none",
        arguments: [0, 1, 8, 1_000], [1, 1 << 40, 0x9E37_79B9_7F4A_7C15] as [UInt64])
    func places(count: Int, factor: UInt64) {
        var table = TagTable(count: count)
        func tag(_ number: Int) -> UsageTag { UsageTag(rawValue: UInt64(number) &* factor) }
        for number in 0..<count { table.insert(tag(number), at: number) }
        #expect((0..<count).allSatisfy { table.place(of: tag($0)) == $0 })
        #expect((count..<count + 50).allSatisfy { table.place(of: tag($0)) == nil })
    }

    @Test("a tag that comes again has its new place")
    func again() {
        var table = TagTable(count: 4)
        table.insert(UsageTag(rawValue: 0), at: 3)
        table.insert(UsageTag(rawValue: 0), at: 0)
        #expect(table.place(of: UsageTag(rawValue: 0)) == 0)
    }
}
