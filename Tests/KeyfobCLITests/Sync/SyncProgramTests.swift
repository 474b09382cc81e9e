import Foundation
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("Programs that carry a sync", .waitsForPrograms)
struct SyncProgramTests {
    @Test("one that hangs is ended, with what it has started, and the line says so", arguments: ["git", "rclone"])
    func hanging(program: String) throws {
        let place = try Workplace.withVault()
        try place.write("bin/\(program)", "#!/bin/sh\nsleep 1000 &\necho $! > $HOME/child\nwait\n")
        try place.run("chmod +x bin/\(program)").expectSuccess()
        let remote = program == "git" ? "https://git.example/a.git" : "rclone:drive:keyfob"
        try place.run("keyfob sync init --timeout 3 \(remote)").expectError(
            75, "\(program) could not", "within 3 seconds", "nothing is lost")
        try place.run(
            """
            test -s child || exit
            for try in $(seq 500); do grep -qs '^State:.[^ZX]' /proc/$(cat child)/status || exit 0; sleep 0.02; done; exit 1
            """
        ).expectSuccess()
        try place.run("keyfob sync status").expectError(78)
    }

    @Test("one that is not there is named")
    func missing() throws {
        let place = try Workplace.withVault()
        try place.run("ln -s $(which env) $(which timeout) bin; PATH=bin keyfob sync init rclone:drive:keyfob")
            .expectError(78, "there is no program rclone in PATH")
    }

    @Test("of what rclone lists, what a sync has is brought, heads first, and no more than there is room for")
    func listing() {
        let folder = "devices/" + String(repeating: "a", count: 24)
        let name = String(repeating: "b", count: 32)
        let lines = [
            "10;\(folder)/3-\(name).age", "2097153;\(folder)/head.age", "20;\(folder)/request", "x;\(folder)/head.age",
            "5;\(folder)/../head.age", "5;elsewhere", "\(SyncChoice.totalLimit);\(folder)/4-\(name).age", "",
        ]
        let files = SyncRcloneTransport.files(Data(lines.joined(separator: "\n").utf8))
        #expect(files.count == 4)
        #expect(SyncChoice.chosen(files, \.path, \.size).map(\.size) == [20, 10])
        let many = (0..<5_000).map { (size: $0, path: "\(folder)/\($0)-\(name).age") }
        #expect(SyncChoice.chosen(many, \.path, \.size).count == SyncChoice.fileLimit)
    }

    @Test("a remote that rclone does not know is named, and how one is set up")
    func unknown() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob sync init rclone:nowhere:keyfob").expectError(
            78, "rclone has no remote 'nowhere'", "'rclone config' sets one up")
    }
}
