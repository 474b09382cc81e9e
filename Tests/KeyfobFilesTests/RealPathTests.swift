import Foundation
import Glibc
import KeyfobFiles
import KeyfobTestSupport
import Testing

@Suite("The path without links and dots")
struct RealPathTests {
    @Test(
        "is what realpath(3) says, however a path is written",
        arguments: """
            / /a /a/b /a/./b /./a /a/../a/b /a/.. /a/. //a /a//b /a/ /a/b/ /.c /.c/d /..e /... /.../f \
            /link /link/b /a/back /a/back/a/b /loop /missing /a/b/c
            """.split(separator: " ").map(String.init))
    func real(written: String) throws {
        let scratch = try ScratchFolder()
        let folder = scratch.path
        for name in ["a", ".c", "..."] { try POSIXFile.createDirectories(folder + "/" + name) }
        for name in ["a/b", ".c/d", "..e", ".../f"] { try scratch.write(name, [1]) }
        for (name, target) in [("link", "a"), ("a/back", ".."), ("loop", "loop")] {
            try FileManager.default.createSymbolicLink(atPath: folder + "/" + name, withDestinationPath: target)
        }
        let path = folder + written
        let expected = unsafe realpath(path, nil)
        defer { unsafe free(expected) }
        #expect(FileAccess.realPath(path) == (unsafe expected.map { unsafe String(cString: $0) }))
    }

    @Test("of one that is not absolute begins with where the process is")
    func relative() {
        #expect(FileAccess.realPath(".") == FileManager.default.currentDirectoryPath)
        #expect(FileAccess.realPath("") == nil && FileAccess.realPath("\0") == nil)
    }
}
