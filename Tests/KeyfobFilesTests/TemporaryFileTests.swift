import Glibc
import KeyfobFiles
import KeyfobTestSupport
import Testing

@Suite("Files that are being written, and locks")
struct TemporaryFileTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test("what a killed process left behind goes, and what is being written stays")
    func abandoned() throws {
        try folder.write("header.copy.4711.3.new", [1])
        try folder.write("other.4711.3.new", [1])
        for name in ["header.copy", "notes.new", "header.copy.new", "header.copy.x.1.new", "header.copy.1..new"] {
            try folder.write(name, [1])
        }
        var written = try NewFile.begin(folder.path + "/backup.age")
        let before = Set(try POSIXFile.names(in: folder.path))
        #expect(before.contains("header.copy.4711.3.new"))
        try POSIXFile.replace(folder.path + "/header.copy", with: [2])
        var left = Set(try POSIXFile.names(in: folder.path))
        // It was to be that file; the other one is for whoever writes there.
        #expect(before.subtracting(left) == ["header.copy.4711.3.new"])
        TemporaryFile.removeAbandoned(in: folder.path)
        #expect(left.subtracting(try POSIXFile.names(in: folder.path)) == ["other.4711.3.new"])
        try written.putInPlace()
        left = Set(try POSIXFile.names(in: folder.path))
        #expect(left.contains("backup.age"))
        #expect(left.filter { $0.hasSuffix(".new") }.count == 4)
    }

    @Test("who waits for a lock does not wait for ever, nor for itself")
    func lock() throws {
        let path = folder.path + "/lock"
        let first = try FileLock(path)
        #expect(throws: StoreError.busy) { _ = try FileLock(path, orBusyAfter: .milliseconds(20)) }
        _ = consume first
        _ = try FileLock(path, orBusyAfter: .zero)
    }

    @Test("a lock that was let go is free, though a process that is just being started has a copy of its descriptor")
    func copied() throws {
        let path = folder.path + "/lock"
        let lock = try FileLock(path)
        let file = FileIdentity(path)
        let copies = (CInt(3)..<1_024).filter { FileIdentity("/proc/self/fd/\($0)", following: true) == file }.map {
            dup($0)
        }
        defer { for copy in copies { close(copy) } }
        #expect(file != nil && !copies.isEmpty)
        _ = consume lock
        _ = try FileLock(path, orBusyAfter: .zero)
    }
}
