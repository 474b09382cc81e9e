import Foundation
import KeyfobFiles
import KeyfobTestSupport
import Testing

@Suite("Other programs' files")
struct ForeignFileTests {
    private let folder: ScratchFolder
    private var path: String { folder.path + "/config" }

    init() throws { folder = try ScratchFolder() }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions] as? Int
    }

    private func names() throws -> Set<String> { Set(try POSIXFile.names(in: folder.path)) }

    @Test(
        "one is replaced as a whole, with its mode, and nothing is left beside it", arguments: [0o600, 0o644, 0o4755])
    func replaced(mode: Int) throws {
        try folder.write("config", [1])
        try folder.setMode("config", mode)
        for lock in [ForeignFile.LockPlace.none, .name, .target] {
            let file = try ForeignFile(path)
            try file.replace(with: [2, 3], lock: lock)
            #expect(try folder.read("config") == [2, 3] && self.mode("config") == mode && names() == ["config"])
            try ForeignFile(path).replace(with: [1], lock: lock)
        }
    }

    @Test("one that is missing is made with its folders, and goes again with them")
    func missing() throws {
        let deep = folder.path + "/a/b/config"
        let file = try ForeignFile(deep)
        #expect(file.content == nil && file.missingFolders > 0 && file.place == folder.path + "/a")
        try file.replace(with: [1], lock: .target)
        #expect(try folder.read("a/b/config") == [1] && mode("a/b/config") == 0o600 && mode("a/b") == 0o700)
        let there = try ForeignFile(deep)
        #expect(there.missingFolders == 0 && there.place == deep)
        try there.replace(with: nil, lock: .target)
        there.removeFolders(1)
        #expect(try POSIXFile.names(in: folder.path + "/a").isEmpty)
    }

    @Test("a link stays, and what it leads to is changed")
    func link() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/dots", withIntermediateDirectories: false)
        try folder.write("dots/real", [1])
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/second", withDestinationPath: "dots/real")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "second")
        let file = try ForeignFile(path)
        #expect(file.content == [1] && file.target.hasSuffix("/dots/real"))
        for lock in [ForeignFile.LockPlace.name, .target] {
            try ForeignFile(path).replace(with: [2], lock: lock)
        }
        #expect(FileAccess.link(path) == "second" && FileAccess.link(folder.path + "/second") == "dots/real")
        #expect(try folder.read("dots/real") == [2] && names() == ["config", "second", "dots"])
        #expect(try POSIXFile.names(in: folder.path + "/dots") == ["real"])
        // The file that it was is not there any more.
        #expect(throws: ForeignFile.Failure.changed) { try file.replace(with: [3], lock: .none) }
        try FileManager.default.removeItem(atPath: folder.path + "/dots/real")
        #expect(throws: ForeignFile.Failure.danglingLink) { _ = try ForeignFile(path) }
    }

    @Test("what is no file, is too large or has other names is left alone")
    func unsuitable() throws {
        #expect(throws: ForeignFile.Failure.notAFile) { _ = try ForeignFile(folder.path) }
        #expect(throws: ForeignFile.Failure.notAFile) { _ = try ForeignFile("/dev/null") }
        try folder.write("config", [1])
        try FileManager.default.linkItem(atPath: path, toPath: folder.path + "/other")
        let file = try ForeignFile(path)
        #expect(throws: ForeignFile.Failure.hasOtherNames) { try file.replace(with: [2], lock: .none) }
        #expect(try folder.read("other") == [1])
        try folder.write("large", [UInt8](repeating: 32, count: ForeignFile.limit + 1))
        #expect(throws: ForeignFile.Failure.tooLarge(limit: ForeignFile.limit)) {
            _ = try ForeignFile(folder.path + "/large")
        }
    }

    @Test("what somebody has written meanwhile stays")
    func changed() throws {
        try folder.write("config", [1])
        let file = try ForeignFile(path)
        try folder.write("config", [9])
        for bytes in [[2], nil] as [[UInt8]?] {
            #expect(throws: ForeignFile.Failure.changed) { try file.replace(with: bytes, lock: .target) }
        }
        let absent = try ForeignFile(folder.path + "/new")
        try folder.write("new", [8])
        #expect(throws: ForeignFile.Failure.changed) { try absent.replace(with: [2], lock: .none) }
        #expect(try folder.read("config") == [9] && folder.read("new") == [8] && names() == ["config", "new"])
    }

    @Test("the lock of the file's program is waited for, and one that a killed process left is taken away")
    func lock() throws {
        try folder.write("config", [1])
        let lock = path + ".lock"
        for content in ["", "[user]\n", "keyfob setup\nx"] {
            try folder.write("config.lock", Array(content.utf8))
            #expect(throws: ForeignFile.Failure.locked(by: lock)) {
                try ForeignFile(path).replace(with: [2], lock: .target)
            }
            #expect(
                try String(decoding: folder.read("config.lock"), as: UTF8.self) == content
                    && folder.read("config") == [1])
        }
        try folder.write("config.lock", Array("keyfob setup\n".utf8))
        try ForeignFile(path).replace(with: [2], lock: .target)
        #expect(try names() == ["config"] && folder.read("config") == [2])
    }

    @Test("notes say what was there, whatever a path or an entry holds, and one that is no note is passed over")
    func notes() throws {
        let notes = SetupNotes(state: folder.path + "/state")
        #expect(try notes.note("git", path) == nil)
        let note = SetupNotes.Note(former: .noFile, form: "some", entries: ["a b", "ü\n%", "-"])
        try notes.alone { try notes.keep(note, of: "git", "/p q\n") }
        try notes.keep(SetupNotes.Note(former: .text, form: "null", entries: []), of: "docker", "/p q\n")
        #expect(try notes.note("git", "/p q\n") == note && notes.note("kubectl", "/p q\n") == nil)
        try notes.keep(nil, of: "docker", "/p q\n")
        #expect(try notes.note("docker", "/p q\n") == nil && notes.note("git", "/p q\n") == note)
        let file = "state/setup"
        try folder.write(
            file, Array("git x\n\u{0}\n% % % %\ngit /x never some\n".utf8) + (try folder.read(file)) + [0xFF])
        #expect(try notes.note("git", "/x") == nil && notes.note("git", "/p q\n") == note)
        #expect(throws: StoreError.inputOutput(errno: ENOENT)) {
            try notes.alone { throw StoreError.inputOutput(errno: ENOENT) }
        }
    }
}
