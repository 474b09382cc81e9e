internal import KeyfobFiles

/// A database that SQLite has written and nobody changes, read page by page.
///
/// Whatever SQLite might have left otherwise is an error: other features of the format, pages that are not wholly as
/// they should be.
final class PageFile {
    private let file: DatabaseFile
    /// How many bytes a page has, and how many pages there are.
    let (pageSize, pageCount): (Int, Int)
    private var pages: [(number: Int, page: TreePage)] = []
    /// How many pages are kept: a lookup comes back to no older one, and each takes memory that the system has to give.
    private static let kept = 8

    /// What the file says of itself: its counter of changes, `PRAGMA user_version`, `PRAGMA application_id`.
    let (changes, userVersion, applicationID): (Int, Int, Int)

    /// Reads the file's header (section 1.3).
    ///
    /// - Throws: `busy` for one in WAL mode; `damaged`, `inputOutput`.
    init(_ file: DatabaseFile) throws(StorageFailure) {
        guard file.size >= 512 else { throw StoreError.damaged(what: "keyring.db (it is empty or cut off)") }
        let content = try file.bytes(at: 0, count: 100)
        let header = content.span
        // In WAL mode even whoever reads makes files.
        guard header[18] == 1, header[19] == 1 else { throw StoreError.busy }
        let size = header.short(at: 16)
        (self.file, pageSize, pageCount) = (file, size == 1 ? 65_536 : size, header.long(at: 28))
        changes = header.long(at: 24)
        userVersion = header.long(at: 60)
        applicationID = header.long(at: 68)
        guard content.starts(with: "SQLite format 3\0".utf8), pageSize >= 512, pageSize & (pageSize - 1) == 0,
            // Nothing reserved, the usual fractions of a page for contents, no pages that move, UTF-8.
            header[20] == 0, header[21] == 64, header[22] == 32, header[23] == 32,
            header.long(at: 44) == 4, header.long(at: 52) == 0,
            header.long(at: 56) == 1, content[72..<92].allSatisfy({ $0 == 0 }),
            header.long(at: 92) == changes, Int64(pageCount) * Int64(pageSize) == file.size
        else { throw StoreError.damagedPage }
    }

    /// Lets others change the file; nothing is read from then on.
    func close() throws(StorageFailure) { try file.unlock() }

    /// A page of a b-tree.
    func page(_ number: Int) throws(StorageFailure) -> TreePage {
        // What a lookup comes back to are the roots and what it has just read.
        if let index = pages.lastIndex(where: { $0.number == number }) {
            if index < pages.count - 1 { pages.append(pages.remove(at: index)) }
        } else {
            if pages.count == Self.kept { pages.removeFirst() }
            pages.append((number, try TreePage(try bytes(of: number), from: number == 1 ? 100 : 0)))
        }
        return pages[pages.count - 1].page
    }

    /// The bytes of a page.
    ///
    /// - Throws: `damaged` where the file has none of that number.
    func bytes(of number: Int) throws(StorageFailure) -> [UInt8] {
        guard (1...pageCount).contains(number) else { throw StoreError.damagedPage }
        return try file.bytes(at: Int64(number - 1) * Int64(pageSize), count: pageSize)
    }
}
