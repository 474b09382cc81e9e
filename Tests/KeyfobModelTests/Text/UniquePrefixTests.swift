import Testing

@testable import KeyfobModel

@Suite("The shortest beginnings of ids")
struct UniquePrefixTests {
    @Test(
        "tell each from the others, and are no shorter than people know them",
        arguments: [
            (["3f2a9c1d00", "3b00000000"], ["3f2a9c1d", "3b000000"]),
            (["3f2a9c1d00", "3f2a9c1d10"], ["3f2a9c1d0", "3f2a9c1d1"]),
            (["3f2a9c1d00", "3f2a9c1d01", "3f2a9c2d00"], ["3f2a9c1d00", "3f2a9c1d01", "3f2a9c2d"]),
            (["3f2a"], ["3f2a"]), ([], []),
        ])
    func prefixes(ids: [String], short: [String]) {
        #expect(UniquePrefix.all(of: ids) == short)
    }
}
