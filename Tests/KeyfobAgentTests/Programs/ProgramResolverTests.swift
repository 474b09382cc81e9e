import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Which program a word names, and of what names none, why.
@Suite("Which program a word names")
struct ProgramResolverTests {
    private let folder: ScratchFolder
    private let root: String

    init() throws {
        folder = try ScratchFolder()
        root = try #require(FileManager.default.realPath(folder.path))
        for name in ["bin", "libexec/keyfob", "other/bin", "other/libexec/keyfob"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
        }
    }

    private func copy(_ name: String, mode: Int = 0o755) throws {
        try FileManager.default.copyItem(
            atPath: try #require(FileManager.default.realPath("/bin/true")), toPath: "\(root)/\(name)")
        try folder.setMode(name, mode)
    }

    private func script(_ name: String, _ text: String, mode: Int = 0o755) throws {
        try folder.write(name, Array(text.utf8))
        try folder.setMode(name, mode)
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
    }

    private var resolver: ProgramResolver {
        ProgramResolver(
            searchPath: "\(root)/bin:/usr/bin:/bin",
            own: OwnPrograms(fullProgram: "\(root)/libexec/keyfob/keyfob"))
    }

    /// What a word names, as permissions have it, `@` for the folder; or why none.
    private func named(_ word: String) -> String {
        do throws(ProgramProblem) {
            return try resolver.program(word.replacing("@", with: root)).program.description
                .replacing(root, with: "@")
        } catch {
            return "\(error)".replacing(root, with: "@")
        }
    }

    @Test("Keyfob is known by its files: its front and its full program, and nothing that lies beside them")
    func own() throws {
        for name in ["bin/keyfob", "libexec/keyfob/keyfob", "bin/git", "libexec/keyfob/tool"] { try copy(name) }
        try FileManager.default.linkItem(atPath: "\(root)/bin/keyfob", toPath: "\(root)/bin/kf")
        try link("bin/docker-credential-keyfob", to: "keyfob")
        let full = "executable:@/libexec/keyfob/keyfob"
        for word in ["keyfob", "@/bin/keyfob", "kf", "docker-credential-keyfob", "@/libexec/keyfob/keyfob"] {
            #expect(named(word) == full, "\(word)")
            #expect(try resolver.program(word.replacing("@", with: root)).isOwn)
        }
        #expect(named("executable:@/bin/keyfob") == full)
        for name in ["bin/git", "libexec/keyfob/tool"] {
            #expect(named("@/\(name)") == "executable:@/\(name)")
            #expect(try !resolver.program("\(root)/\(name)").isOwn)
        }
        // A full program that is a link, as a stow directory has it, and one that is linked twice.
        try FileManager.default.linkItem(
            atPath: "\(root)/libexec/keyfob/keyfob", toPath: "\(root)/other/libexec/keyfob/keyfob")
        try copy("other/bin/keyfob")
        #expect(named("@/other/bin/keyfob") == full && named("@/other/libexec/keyfob/keyfob") == full)
    }

    @Test("The front of another installation is told, and so is what it becomes; its full program is a program")
    func otherInstallation() throws {
        for name in ["libexec/keyfob/keyfob", "other/bin/keyfob", "other/bin/git", "other/libexec/keyfob/keyfob"] {
            try copy(name)
        }
        let full = "@/other/libexec/keyfob/keyfob"
        #expect(named("@/other/bin/keyfob") == #"otherInstallation("@/other/bin/keyfob", fullProgram: "\#(full)")"#)
        #expect(named(full) == "executable:\(full)" && named("@/other/bin/git") == "executable:@/other/bin/git")
        try FileManager.default.removeItem(atPath: "\(root)/other/libexec/keyfob/keyfob")
        #expect(named("@/other/bin/keyfob") == "executable:@/other/bin/keyfob")
    }

    @Test("Of a program that was replaced while it runs the path is still Keyfob's")
    func replaced() throws {
        let own = OwnPrograms(fullProgram: "\(root)/libexec/keyfob/keyfob (deleted)")
        #expect(own.program?.name == "\(root)/libexec/keyfob/keyfob")
    }

    @Test(
        "What no program is says why",
        arguments: [
            ("@/nowhere", #"missing("@/nowhere")"#), ("nosuch", #"notInPath("nosuch")"#),
            ("@/dangling", #"danglingLink("@/dangling", target: "gone")"#),
            ("@/loop", #"danglingLink("@/loop", target: "loop")"#), ("@/bin", #"folder("@/bin")"#),
            ("@/tool (deleted)", #"removed("@/tool")"#), ("/dev/null", #"notRegular("/dev/null")"#),
            ("@/data", #"notExecutable("@/data")"#), ("@/tool/", #"missing("@/tool/")"#),
            ("@/nothing", #"unclear("@/nothing")"#), ("@/cat", #"seenAs(executable:/usr/bin/cat, path: "@/cat")"#),
            ("@/module", #"seenAs(executable:@/python3, path: "@/module")"#),
            ("@/nested", #"seenAs(script:@/plain, path: "@/nested")"#),
            ("@/broken", #"noInterpreter("@/broken", interpreter: "/nowhere/tool")"#),
            ("@/unclear", #"unclear("@/unclear")"#), ("@/round", #"unclear("@/round")"#),
            ("", #"noName("", nil)"#), ("a:b", #"noName("a:b", nil)"#),
            ("script:tool", #"noName("script:tool", Optional(Keyfob.Program.Kind.script))"#),
            ("service:x", #"noName("service:x", Optional(Keyfob.Program.Kind.service))"#),
        ])
    func problems(word: String, expected: String) throws {
        try copy("tool")
        try copy("python3")
        try copy("data", mode: 0o644)
        try link("dangling", to: "gone")
        try link("loop", to: "loop")
        try script("nothing", "#!/usr/bin/env\n")
        try script("cat", "#!/usr/bin/cat -n\n")
        try script("module", "#!\(root)/python3 -m runpy\n")
        try script("plain", "#!/bin/sh\n")
        try script("nested", "#!\(root)/plain\n")
        try script("broken", "#!/nowhere/tool\n")
        try script("unclear", "#!/usr/bin/env -S 'python3' -u\n")
        try script("round", "#!\(root)/round\n")
        #expect(named(word) == expected)
    }

    @Test(
        "A script is itself where an interpreter that is known runs it",
        arguments: [
            ("#!/bin/sh", true), ("#!/bin/sh -", true), ("#!/usr/bin/env python3", true), ("", true),
            ("#!/nowhere/python3.99 -u", true), ("#!/usr/bin/env nosuch-python", false),
            ("#!/usr/bin/env -S perl -w", true), ("#!/usr/bin/env -iS A=b perl", true),
            ("#!/usr/bin/env -S PATH=/x perl", false), ("#!/usr/bin/env ruby9", true),
            ("#!@/shims/python3", geteuid() == 0),
            ("#!/usr/bin/env @/shims/python3", geteuid() == 0), ("#!@/shims/tool", false), ("#!/bin/cat", false),
        ])
    func scripts(line: String, isItself: Bool) throws {
        try FileManager.default.createDirectory(atPath: "\(root)/shims", withIntermediateDirectories: true)
        for name in ["python3", "tool"] { try script("shims/\(name)", "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n") }
        for mode in [0o755, 0o644] {
            try script("report.py", line.replacing("@", with: root) + "\n", mode: mode)
            #expect((named("@/report.py") == "script:@/report.py") == isItself)
        }
        // Who says so knows better.
        #expect(named("script:@/report.py") == "script:@/report.py")
    }

    @Test("A name is found as a shell does, and not where that is another file elsewhere")
    func searchPath() throws {
        try copy("bin/tool")
        try copy("other/bin/tool", mode: 0o644)
        try copy("other/bin/data")
        func name(_ path: String) -> String {
            do throws(ProgramProblem) {
                return try ProgramResolver(searchPath: path).program("tool").program.description
                    .replacing(root, with: "@")
            } catch {
                return "\(error)"
            }
        }
        #expect(name("\(root)/nowhere:\(root)/other/bin:\(root)/bin") == "executable:@/bin/tool")
        #expect(name("\(root)/other/bin") == #"notInPath("tool")"#)
        // Behind one that has it, the current folder does not count.
        #expect(name("\(root)/bin:.") == "executable:@/bin/tool")
        let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }.joined(separator: "/")
        let relative = up + root + "/bin"
        #expect(name(relative + ":\(root)/bin") == #"inRelativeFolder(name: "tool", folder: "\#(relative)")"#)
    }

    @Test("What was decided of a file that is gone, or is a link now, is found by its path")
    func names() throws {
        try copy("bin/new")
        try link("bin/old", to: "new")
        func names(_ word: String) throws -> [String] {
            try resolver.names(word.replacing("@", with: root)).map { $0.description.replacing(root, with: "@") }
        }
        #expect(
            try names("old") == [
                "executable:@/bin/new", "script:@/bin/new", "executable:@/bin/old", "script:@/bin/old",
            ])
        try FileManager.default.removeItem(atPath: "\(root)/bin/new")
        #expect(try names("@/bin/old") == ["executable:@/bin/old", "script:@/bin/old"])
        #expect(try names("@/gone/./x") == ["executable:@/gone/x", "script:@/gone/x"])
        #expect(try names("script:/gone") == ["script:/gone"] && names("snap:player") == ["snap:player"])
        #expect(throws: ProgramProblem.notInPath("nosuch")) { try names("nosuch") }
    }

    @Test("The file of a program is as it was, another one, gone or a link now")
    func state() throws {
        let digests = FileDigests()
        try copy("tool")
        let tool = try #require(Program(.executable, "\(root)/tool"))
        let digest = digests.digest(of: tool.name)
        #expect(ProgramResolver.state(of: tool, digest: digest, digests) == .asAllowed)
        #expect(ProgramResolver.state(of: tool, digest: nil, digests) == .asAllowed)
        #expect(ProgramResolver.state(of: tool, digest: "aa", digests) == .changed)
        try FileManager.default.moveItem(atPath: tool.name, toPath: "\(root)/moved")
        #expect(ProgramResolver.state(of: tool, digest: nil, digests) == .gone)
        try link("tool", to: "moved")
        #expect(ProgramResolver.state(of: tool, digest: digest, digests) == .link(to: "\(root)/moved"))
        #expect(ProgramResolver.state(of: try #require(Program(.snap, "player")), digest: nil, digests) == nil)
    }

    @Test("Two names that look alike are two programs")
    func alike() throws {
        let (composed, decomposed) = (Program(.executable, "/a/\u{f6}"), Program(.executable, "/a/o\u{308}"))
        #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    }
}
