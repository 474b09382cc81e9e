import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// What an agent leaves of itself for its owner's commands.
@Suite("An agent's note")
struct AgentNoteTests {
    private func location(_ scratch: ScratchFolder, _ vault: String = "vault") throws -> KeyringLocation {
        let folder = scratch.path + "/" + vault
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return KeyringLocation(vault: folder, state: scratch.path + "/state")
    }

    private func names(_ location: KeyringLocation) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: AgentNote.folder(in: location.state))) ?? []).sorted()
    }

    @Test(
        "It says where to ask, whatever the paths are",
        arguments: ["/run/keyfob/agent", "/a b/\n/agent", "/%0A/é/agent", "-", ""])
    func content(socket: String) throws {
        let scratch = try ScratchFolder()
        let location = try location(scratch, "va ult%\n1")
        do {
            let keeper = AgentNote.Keeper(of: location, socket: socket)
            #expect(keeper.keep())
            let notes = AgentNote.all(in: location.state)
            #expect(notes.map(\.socket) == [socket] && notes[0].vault == nil && notes[0].isHeld)
            #expect(notes[0].place.isSame(as: VaultPlace(location)) && notes[0].visibleProcess == getpid())
            withExtendedLifetime(keeper) {}
        }
        #expect(names(location).isEmpty)
    }

    @Test("It is written again where it is gone, where another lies there, and where the vault has another folder")
    func lasting() throws {
        let scratch = try ScratchFolder()
        let location = try location(scratch)
        var time: Int64 = 0
        let keeper = AgentNote.Keeper(of: location, socket: "/s", now: { time })
        #expect(keeper.keep())
        let path = AgentNote.folder(in: location.state) + "/" + names(location)[0]
        try FileManager.default.removeItem(atPath: path)
        keeper.keep()
        #expect(names(location).isEmpty, "it is looked at once a second")
        time += 1_000
        keeper.keep()
        #expect(AgentNote.all(in: location.state).count == 1)
        try FileManager.default.removeItem(atPath: path)
        try Data("other".utf8).write(to: URL(filePath: path))
        time += 1_000
        keeper.keep()
        #expect(AgentNote.all(in: location.state).map(\.socket) == ["/s"])
        try FileManager.default.moveItem(atPath: location.vault, toPath: scratch.path + "/away")
        let gone = VaultPlace(location)
        time += 1_000
        keeper.keep()
        // Where the vault is gone, it says where it was.
        #expect(gone.folder == nil && AgentNote.all(in: location.state)[0].place.folder != nil)
        try FileManager.default.createDirectory(atPath: location.vault, withIntermediateDirectories: false)
        time += 1_000
        keeper.keep()
        #expect(AgentNote.all(in: location.state)[0].place == VaultPlace(location))
    }

    @Test("Notes of those who are gone, and what is none, are taken away or passed over, and links are not followed")
    func foreign() throws {
        let scratch = try ScratchFolder()
        let location = try location(scratch)
        let keeper = AgentNote.Keeper(of: location, socket: "/s")
        #expect(keeper.keep())
        let folder = AgentNote.folder(in: location.state)
        let own = try Data(contentsOf: URL(filePath: folder + "/" + names(location)[0]))
        try own.write(to: URL(filePath: folder + "/1-1"))
        try Data(repeating: 0xFF, count: 70_000).write(to: URL(filePath: folder + "/2-2"))
        try own.write(to: URL(filePath: scratch.path + "/elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/3-3", withDestinationPath: scratch.path + "/elsewhere")
        #expect(AgentNote.all(in: location.state).map(\.socket) == ["/s"])
        #expect(FileManager.default.fileExists(atPath: scratch.path + "/elsewhere"))
        try FileManager.default.moveItem(atPath: folder, toPath: scratch.path + "/moved")
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: scratch.path + "/moved")
        #expect(AgentNote.all(in: location.state).isEmpty)
        withExtendedLifetime(keeper) {}
    }

    @Test("What may tell of an agent and cannot be read is named; what none leaves is not")
    func unread() throws {
        let scratch = try ScratchFolder()
        let location = try location(scratch)
        func unread() -> [String] {
            var found: [String] = []
            _ = AgentNote.all(in: location.state) { found.append(URL(filePath: $0).lastPathComponent) }
            return found
        }
        #expect(unread().isEmpty)
        let folder = AgentNote.folder(in: location.state)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "/etc/passwd")
        try Data("keyfob-agent 2".utf8).write(to: URL(filePath: folder + "/7-7"))
        let descriptor = unsafe open(folder + "/7-7", O_RDONLY | O_CLOEXEC)
        try #require(flock(descriptor, LOCK_EX) == 0)
        #expect(unread() == ["7-7"])
        close(descriptor)
        #expect(unread().isEmpty)
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(filePath: folder))
        #expect(unread() == ["agents"])
    }

    @Test("One folder is meant by each of its paths, and by none of another")
    func places() throws {
        let scratch = try ScratchFolder()
        let location = try location(scratch, "a/vault")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/b", withDestinationPath: scratch.path + "/a")
        let whole = VaultPlace(location)
        for path in ["/b/vault", "/a/../a/vault", "/a/./vault", "/b/../a//vault"] {
            #expect(VaultPlace(KeyringLocation(vault: scratch.path + path, state: "")).isSame(as: whole), "\(path)")
        }
        try FileManager.default.createDirectory(atPath: scratch.path + "/a/other", withIntermediateDirectories: true)
        #expect(!VaultPlace(KeyringLocation(vault: scratch.path + "/a/other", state: "")).isSame(as: whole))
        try FileManager.default.moveItem(atPath: scratch.path + "/a/vault", toPath: scratch.path + "/c")
        #expect(VaultPlace(KeyringLocation(vault: scratch.path + "/c", state: "")).isSame(as: whole))
        #expect(VaultPlace(KeyringLocation(vault: scratch.path + "/b/vault", state: "")).isSame(as: whole))
    }
}
