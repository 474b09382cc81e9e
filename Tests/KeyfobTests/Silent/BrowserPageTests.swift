import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The page that leads a browser on")
struct BrowserPageTests {
    @Test("it holds the address escaped, asks nobody for anything, and its address encodes what a path may hold")
    func content() throws {
        let folder = try ScratchFolder()
        let address = "https://id.example/authorize?client_id=a&state='x'"
        let location = KeyringLocation(vault: folder.path + "/vault", state: folder.path + "/a state", runtime: nil)
        let page = try BrowserPage(leadingTo: address, at: location)
        let url = page.url
        #expect(url.hasPrefix("file://" + folder.path + "/a%20state/pages/keyfob-sign-in-"), "\(url)")
        let file = try #require(URL(string: url)?.path)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let escaped = "https://id.example/authorize?client_id=a&amp;state=&#39;x&#39;"
        #expect(text.contains("content=\"0; url=\(escaped)\"") && text.contains("href=\"\(escaped)\""), "\(text)")
        #expect(text.contains("default-src 'none'") && !text.contains("<script"), "\(text)")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        _ = consume page
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("what earlier sign-ins have left in the state folder goes, but not what another one needs")
    func leftovers() throws {
        let folder = try ScratchFolder()
        let location = KeyringLocation(vault: folder.path + "/vault", state: folder.path, runtime: nil)
        let first = try BrowserPage(leadingTo: "https://id.example", at: location)
        let pages = folder.path + "/pages/"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: pages).first)
        try FileManager.default.copyItem(atPath: pages + name, toPath: pages + "keyfob-sign-in-old.html")
        let old = Date(timeIntervalSinceNow: -7_200)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: pages + "keyfob-sign-in-old.html")
        let second = try BrowserPage(leadingTo: "https://id.example", at: location)
        let left = try FileManager.default.contentsOfDirectory(atPath: pages)
        #expect(left.count == 2 && left.contains(name), "\(left)")
        _ = consume first
        _ = consume second
    }
}
