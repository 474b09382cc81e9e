import Foundation
import Testing

@Suite("The example of the README")
struct LibraryExampleTests {
    @Test("is the code that the tests compile")
    func sameText() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let example = try String(
            contentsOf: here.deletingLastPathComponent().appending(path: "LibraryExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n" + example + "```"))
    }
}
