import Glibc
import KeyfobFiles
import KeyfobTestSupport
import Testing

@Suite("A file with a token for a running program")
struct BearerTokenFileTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private var runtime: String { folder.path + "/keyfob" }

    private func names() throws -> [String] { try POSIXFile.names(in: runtime).sorted() }

    @Test("is for its owner, holds the token alone, is replaced whole, and goes")
    func life() throws {
        var file = try BearerTokenFile.make(secret("first"), runtime: runtime)
        #expect(try POSIXFile.read(file.path, limit: 100) == Array("first".utf8))
        #expect(try POSIXFile.status(file.path)?.isRegularFile == true)
        try POSIXFile.status(file.path)?.requireOwnAndPrivate(file.path)
        try POSIXFile.status(runtime)?.requireOwnAndPrivate(runtime)
        try file.replace(with: secret("second token"))
        #expect(try POSIXFile.read(file.path, limit: 100) == Array("second token".utf8))
        #expect(try names().count == 1)
        _ = consume file
        #expect(try names().isEmpty)
    }

    @Test("of one that was killed it goes with the next, and others stay, replaced or not")
    func abandoned() throws {
        var first = try BearerTokenFile.make(secret("first"), runtime: runtime)
        try first.replace(with: secret("again"))
        try POSIXFile.replace(runtime + "/bearer-token-0123456789abcdef", with: [1])
        try POSIXFile.replace(runtime + "/bearer-token-0123456789abcdef.4711.1.new", with: [1])
        for name in ["session.key", "bearer-token", "other.4711.1.new"] {
            try POSIXFile.replace(runtime + "/" + name, with: [1])
        }
        let second = try BearerTokenFile.make(secret("second"), runtime: runtime)
        #expect(try names().count == 5)
        #expect(try POSIXFile.read(first.path, limit: 100) == Array("again".utf8))
        #expect(first.path != second.path)
        _ = consume first
        #expect(try POSIXFile.read(second.path, limit: 100) == Array("second".utf8))
        _ = consume second
        #expect(try names() == ["bearer-token", "other.4711.1.new", "session.key"])
    }

    @Test("is made in no folder that others can look into")
    func open() throws {
        let isOpen = unsafe mkdir(runtime, 0o700) == 0 && chmod(runtime, 0o755) == 0
        #expect(isOpen)
        #expect(throws: StoreError.self) { _ = try BearerTokenFile.make(secret("token"), runtime: runtime) }
        #expect(try names().isEmpty)
    }
}
