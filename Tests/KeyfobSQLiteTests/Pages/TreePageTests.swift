import KeyfobFiles
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Testing

@testable import KeyfobSQLite

@Suite("Pages of a database")
struct TreePageTests {
    /// A leaf of a table with these rows, each an empty record.
    private static func leaf(_ rows: [UInt8]) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: 512)
        let content = page.count - 4 * rows.count
        page[0] = 13
        page[4] = UInt8(rows.count)
        (page[5], page[6]) = (UInt8(content >> 8), UInt8(content & 0xFF))
        for (index, row) in rows.enumerated() {
            let cell = content + 4 * index
            (page[8 + 2 * index], page[9 + 2 * index]) = (UInt8(cell >> 8), UInt8(cell & 0xFF))
            // Two bytes of content: a header of two, and NULL.
            (page[cell], page[cell + 1], page[cell + 2], page[cell + 3]) = (2, row, 2, 0)
        }
        return page
    }

    private func error(_ page: [UInt8]) -> StoreError? { storeError { _ = try TreePage(page, from: 0) } }

    @Test("rows are read where each number is larger than the one before")
    func order() throws {
        let page = try TreePage(Self.leaf([2, 3, 9]), from: 0)
        #expect(page.isTable && page.isLeaf && page.cellCount == 3)
        #expect(try page.cell(2).row == 9 && page.cell(2).count == 2)
        for rows: [UInt8] in [[3, 2], [2, 2], [1, 5, 4]] { #expect(error(Self.leaf(rows)) != nil, "\(rows)") }
    }

    @Test("what cells, free blocks and fragments do not fill is damage", arguments: [0, 1, 3, 4, 5, 6, 7, 8, 9, 500])
    func room(offset: Int) {
        var page = Self.leaf([1, 2, 3])
        #expect(error(page) == nil)
        page[offset] ^= 0x41
        #expect(error(page) != nil)
    }

    @Test("text in the place of bytes is not compared with them")
    func text() throws {
        // A header of three bytes: its length, then the types. 18 is a blob of three bytes, 19 is text, 9 is the number 1.
        let blob = try PageRecord([3, 18, 9, 97, 98, 99], 0..<6)
        #expect(!blob.hasText)
        #expect(try blob.order(to: [.bytes([97, 98, 99])]) == 0)
        let text = try PageRecord([3, 19, 9, 97, 98, 99], 0..<6)
        #expect(text.hasText && storeError { _ = try text.order(to: [.bytes([97, 98, 99])]) } != nil)
    }
}
