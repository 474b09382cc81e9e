import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Which program a process is, by what the system's table says of it.
@Suite("Which program a process is")
struct ProgramSearchTests {
    let processes: FakeProcesses

    init() throws { processes = try FakeProcesses(executable: "/bin/ls") }

    private func program() throws -> String {
        try ProgramSearch(table: processes.table, process: processes.number).program().description
    }

    /// What is refused, and why.
    private func refusal() -> String? {
        do {
            let program = try program()
            Issue.record("it was taken for \(program)")
            return nil
        } catch {
            #expect((error as? KeyringError)?.code == .notPermitted)
            return "\(error)"
        }
    }

    private static let python = FileManager.default.realPath("/usr/bin/python3") ?? ""

    private func interpreted(_ words: [String]) throws -> String {
        try processes.link("exe", to: Self.python)
        try processes.setArguments(words)
        return try program()
    }

    @Test("A program is known by its executable")
    func executable() throws {
        #expect(try program() == "executable:/bin/ls")
    }

    @Test("One whose executable was replaced is refused, with what to do")
    func deleted() throws {
        try processes.link("exe", to: "/usr/bin/git (deleted)")
        #expect(refusal()?.hasSuffix("was removed or replaced since it was started; start it again") == true)
    }

    @Test("One whose file is called as those that are gone is itself")
    func calledDeleted() throws {
        let path = try processes.file("git (deleted)")
        try processes.link("exe", to: path)
        #expect(try program() == "executable:\(path)")
    }

    @Test("One whose path leads to another file here is refused, as in a container")
    func container() throws {
        try processes.link("exe", to: "/nowhere/git")
        #expect(refusal()?.contains("is not the file that is at /nowhere/git here") == true)
    }

    @Test("One whose executable cannot be seen is refused")
    func hidden() throws {
        try FileManager.default.removeItem(atPath: "\(processes.folder)/exe")
        #expect(refusal()?.hasSuffix("its executable cannot be seen") == true)
    }

    @Test("A Flatpak application is known by its id, a runtime alone by its own, in the container that the agent is in")
    func flatpak() throws {
        for (info, name) in [
            ("[Application]\nname=org.gnome.Evolution\nruntime=runtime/x\n", "org.gnome.Evolution"),
            ("[Runtime]\nname=org.gnome.Platform\n[Instance]\nname=no\n", "org.gnome.Platform"),
        ] { #expect(ProgramSearch.flatpakName(Array(info.utf8)) == name) }
    }

    @Test(
        "A snap is known by its name, whatever its mode",
        arguments: [
            ("snap.firefox.firefox (enforce)\n", "snap:firefox"),
            ("snap.code_work.code.hook (complain)", "snap:code_work"),
            ("unconfined\n", "executable:/bin/ls"), ("snap.firefox (enforce)", "executable:/bin/ls"),
            ("snap.Fire Fox.x (enforce)", "executable:/bin/ls"), ("snap..x (enforce)", "executable:/bin/ls"),
        ])
    func snap(label: String, expected: String) throws {
        try processes.write("attr/current", label)
        // Any program can take a label.
        #expect(try program() == "executable:/bin/ls")
        try FileManager.default.createDirectory(
            atPath: "\(processes.scratch.path)/proc/self/ns", withIntermediateDirectories: true)
        for space in ["mnt", "user"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(processes.scratch.path)/proc/self/ns/\(space)", withDestinationPath: "\(space):[1]")
        }
        try processes.link("ns/user", to: "user:[1]")
        try processes.link("ns/mnt", to: "mnt:[2]")
        #expect(try program() == expected)
    }

    @Test(
        "A service is known by its unit; what runs all kinds of programs is none",
        arguments: [
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/backup.service", "backup.service"),
            ("12:cpu:/x.service\n0::/system.slice/backup@home.service", "backup@home.service"),
            ("0::/user.slice/user-1000.slice/user@1000.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/dbus.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/session.slice/org.gnome.Shell@wayland.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.kde.konsole@12.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u12.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope", nil),
            ("0::/user.slice/user-1000.slice/session-2.scope", nil), ("0::/system.slice/cron.service", nil),
            ("0::/.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope/backup.service", nil),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.service/b.service", nil), ("0::/", nil),
            ("1:name=systemd:/x.service", nil), ("", nil),
        ] as [(String, String?)])
    func service(line: String, expected: String?) throws {
        try processes.write("cgroup", line + "\n")
        #expect(try program() == expected.map { "service:\($0)" } ?? "executable:/bin/ls")
    }

    @Test(
        "A script is known by its own path",
        arguments: [
            ["python3", "sync.py", "--now"], ["python3", "-u", "-W", "ignore", "./sync.py"],
            ["python3", "-Wignore", "sync.py", "-c", "x"], ["python3", "--", "sync.py"],
            ["python3", "-X", "dev", "sync.py"],
        ])
    func script(words: [String]) throws {
        let path = try processes.file("sync.py")
        #expect(try interpreted(words.map { $0.hasSuffix("sync.py") ? path : $0 }) == "script:\(path)")
        _ = try interpreted(["python3", path])
        try processes.setArguments(words)
        #expect(
            refusal()?.contains("was named from a folder, and which one that was is not known; name it as /") == true)
    }

    @Test(
        "What else than a script decides is the interpreter's own",
        arguments: [
            ["python3"], ["python3", "-"], ["python3", "-c", "sync.py"], ["python3", "-m", "sync.py"],
            ["python3", "-Bc", "pass", "sync.py"], ["python3", "-cpass", "sync.py"], ["python3", "/nowhere/gone.py"],
            ["python3", "/usr"], ["python3", ""], [],
        ])
    func noScript(words: [String]) throws {
        _ = try processes.file("sync.py")
        #expect(try interpreted(words) == "executable:" + Self.python)
    }

    @Test(
        "Each interpreter's options are its own",
        arguments: [
            ("bash", ["-euo", "pipefail", "x"], "x"), ("bash", ["-ec", "x"], nil), ("bash", ["-l", "x"], nil),
            ("python3", ["-X", "pycache_prefix=/p", "x"], nil),
            ("python3", ["-Wignore::a.B", "x"], nil), ("python3", ["-ix", "x"], nil),
            ("php", ["-d", "auto_prepend_file=e", "x"], nil),
            ("bash", ["-o", "pipefail", "-O", "extglob", "x"], "x"), ("node", ["--max-old-space-size=4096", "x"], "x"),
            ("sh", ["-e", "x", "-c"], "x"),
            ("perl", ["-w", "x"], "x"), ("perl", ["-lne", "print", "x"], nil), ("perl5.36", ["-MEvil", "x"], nil),
            ("node", ["--trace-warnings", "x"], "x"), ("node", ["--require=./evil.js", "x"], nil),
            ("nodejs", ["-r", "./evil.js", "x"], nil), ("ruby3.1", ["-w", "x"], "x"),
            ("ruby", ["-I", "lib", "x"], nil),
            ("ruby", ["-revil", "x"], nil), ("lua5.4", ["x"], "x"), ("dash", ["-o", "errexit", "x"], "x"),
            ("sh", ["-", "x"], "x"), ("bash", ["-e", "-", "x"], "x"), ("bash", ["+e", "x"], "x"),
            ("python3", ["+x", "y"], "+x"), ("perl", ["+", "y"], "+"), ("perl", ["-", "y"], nil),
        ] as [(String, [String], String?)])
    func options(name: String, words: [String], expected: String?) throws {
        let interpreter = try #require(Interpreter(executable: "/usr/bin/\(name)"))
        #expect(interpreter.script(in: [name] + words) == expected)
    }

    @Test("Programs that run no scripts are none", arguments: ["git", "pythonista", "nodemon", "shred", "bashful"])
    func noInterpreter(name: String) {
        #expect(Interpreter(executable: "/usr/bin/\(name)") == nil)
    }
}
