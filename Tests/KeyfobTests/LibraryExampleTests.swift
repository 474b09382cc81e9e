import Foundation
import Testing

@Suite("The example of the guide to the library")
struct LibraryExampleTests {
    @Test("is the code that the tests compile")
    func sameText() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let example = try String(
            contentsOf: here.deletingLastPathComponent().appending(path: "LibraryExample.swift"), encoding: .utf8)
        let guide = try String(contentsOf: root.appending(path: "docs/library.md"), encoding: .utf8)
        #expect(guide.contains("```swift\n" + example + "```"))
    }
}
