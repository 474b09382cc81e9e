import Foundation
import Glibc
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Programs that really come to a socket, as they come to the agent's, and what they are taken for.
@Suite("Programs that connect are those that were named", .waitsForPrograms)
struct ConnectingProgramTests {
    private let folder: ScratchFolder
    private let root: String
    private let own: OwnPrograms
    private let socket: ListeningSocket

    /// Says to the agent's socket that a script of Python or Perl is there, until that ends.
    private static let scripts = [
        "python": """
        import os, socket
        s = socket.socket(socket.AF_UNIX)
        s.connect(os.environ['CALLER_SOCKET'])
        s.recv(1)

        """,
        "perl": """
        use Socket;
        socket(S, AF_UNIX, SOCK_STREAM, 0);
        connect(S, sockaddr_un($ENV{CALLER_SOCKET}));
        sysread(S, my $byte, 1);

        """,
    ]

    init() throws {
        folder = try ScratchFolder()
        root = try #require(FileManager.default.realPath(folder.path))
        for name in ["usr/bin", "usr/local/bin", "usr/libexec/keyfob", "home/ada bin"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
        }
        try AgentTestFile.compileCaller(to: "\(root)/usr/bin/curl")
        try AgentTestFile.compileCaller(to: "\(root)/usr/libexec/keyfob/keyfob")
        try AgentTestFile.compileCaller("-DFRONT", to: "\(root)/usr/bin/keyfob")
        own = OwnPrograms(fullProgram: "\(root)/usr/libexec/keyfob/keyfob")
        socket = try ListeningSocket(at: "\(root)/s")
        let prepared = """
            ln -s curl usr/bin/fetch; ln -s ../../bin/fetch usr/local/bin/get; ln -s usr/bin bin
            ln usr/bin/curl 'home/ada bin/hard'; cp usr/bin/curl 'home/ada bin/a b'; cp usr/bin/curl usr/bin/o\u{308}
            cp usr/bin/curl 'usr/bin/x (deleted)'; cp usr/bin/curl usr/bin/python3.99; cp usr/bin/curl usr/bin/report
            ln -s keyfob usr/bin/git-credential-keyfob; ln -s "$PWD/usr/bin/keyfob" usr/local/bin/keyfob
            printf '#!/usr/bin/env python3\\n%s' "$python" > usr/bin/env.py
            printf '#!/usr/bin/python3 -Es\\n%s' "$python" > usr/bin/direct.py; printf '%s' "$python" > usr/bin/plain.py
            printf '#!/usr/bin/perl -w\\n%s' "$perl" > usr/bin/tool.pl; ln -s ../../bin/env.py usr/local/bin/linked
            printf '#!/bin/sh\\nexec python3 "$0.py"\\n' > usr/bin/starter; cp usr/bin/plain.py usr/bin/starter.py
            chmod +x usr/bin/*.py usr/bin/tool.pl usr/bin/starter; chmod -x usr/bin/plain.py; sleep 0.05
            """
        try run(prepared, Self.scripts)
    }

    private var searchPath: String { "\(root)/usr/local/bin:\(root)/usr/bin:/usr/bin:/bin" }

    /// A shell in the folder, to its end.
    private func run(_ line: String, _ variables: [String: String]) throws {
        let process = shell(line, variables)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func shell(_ line: String, _ variables: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "set -e; umask 022; " + line]
        process.currentDirectoryURL = URL(filePath: root)
        process.environment = ["PATH": searchPath].merging(variables) { $1 }
        return process
    }

    /// What a word is taken for once it has been started and has come.
    ///
    /// - Parameter before: What is done between its coming and the look.
    private func seen(_ line: String, _ before: () throws -> Void = {}) throws -> Program {
        let process = shell("exec " + line, ["CALLER_SOCKET": "\(root)/s"])
        try process.run()
        let end = try socket.accept()
        defer {
            close(end)
            process.waitUntilExit()
        }
        try before()
        return try AgentCaller(PeerProcess.connected(to: end), door: .socket, digests: FileDigests()).program
    }

    private func named(_ word: String) throws -> Program {
        try ProgramResolver(searchPath: searchPath, own: own).program(word).program
    }

    @Test(
        "by whatever name, through whatever links",
        arguments: [
            ("curl", "usr/bin/curl"), ("fetch", "usr/bin/curl"), ("get", "usr/bin/curl"),
            ("@/bin/curl", "usr/bin/curl"),
            ("@/usr/local/bin/get", "usr/bin/curl"), ("@/home/ada bin/hard", "home/ada bin/hard"),
            ("@/home/ada bin/a b", "home/ada bin/a b"), ("@/usr/bin/o\u{308}", "usr/bin/o\u{308}"),
            ("@/usr/bin/x (deleted)", "usr/bin/x (deleted)"), ("python3.99", "usr/bin/python3.99"),
            ("report", "usr/bin/report"), ("keyfob", "usr/libexec/keyfob/keyfob"),
            ("@/usr/bin/keyfob", "usr/libexec/keyfob/keyfob"), ("@/usr/local/bin/keyfob", "usr/libexec/keyfob/keyfob"),
            ("git-credential-keyfob", "usr/libexec/keyfob/keyfob"),
            ("@/usr/libexec/keyfob/keyfob", "usr/libexec/keyfob/keyfob"), ("env.py", "usr/bin/env.py"),
            ("direct.py", "usr/bin/direct.py"), ("tool.pl", "usr/bin/tool.pl"), ("linked", "usr/bin/env.py"),
        ])
    func names(word: String, path: String) throws {
        let word = word.replacing("@", with: root)
        let kind: Program.Kind = path.hasSuffix(".py") || path.hasSuffix(".pl") ? .script : .executable
        let expected = try #require(Program(kind, "\(root)/\(path)"))
        #expect(try named(word) == expected)
        #expect(try seen("'\(word)'") == expected)
        // What is printed of it names it again.
        #expect(try named(expected.description) == expected)
    }

    @Test("A script that nobody can start is the one that an interpreter is given")
    func givenScript() throws {
        let expected = try #require(Program(.script, "\(root)/usr/bin/plain.py"))
        #expect(try named("\(root)/usr/bin/plain.py") == expected)
        #expect(try seen("python3 '\(root)/usr/bin/plain.py'") == expected)
        #expect(throws: KeyringError(.notPermitted, "")) { try seen("python3 usr/bin/plain.py") }
        #expect(try seen("python3 -u '\(root)/bin/plain.py'") == expected)
    }

    @Test("A script that becomes another one is seen as that, whatever was named")
    func starter() throws {
        #expect(try named("starter") == Program(.script, "\(root)/usr/bin/starter"))
        #expect(try seen("starter") == Program(.script, "\(root)/usr/bin/starter.py"))
    }

    @Test("One whose file is replaced or removed while it runs is none, and the path is another program's")
    func replaced() throws {
        for change in ["cp curl.new curl", "rm -f curl"] {
            try run("cd usr/bin; rm -f curl curl.new; cp report curl; cp report curl.new; rm -f curl.old", [:])
            #expect(throws: KeyringError(.notPermitted, "")) {
                try seen("curl") { try run("cd usr/bin; mv curl curl.old; rm curl.old; \(change)", [:]) }
            }
        }
        #expect(throws: ProgramProblem.missing("\(root)/usr/bin/curl")) { try named("\(root)/usr/bin/curl") }
        #expect(throws: ProgramProblem.notInPath("fetch")) { try named("fetch") }
        #expect(
            throws: ProgramProblem.danglingLink("\(root)/usr/bin/fetch", target: "curl")
        ) { try named("\(root)/usr/bin/fetch") }
    }
}

/// A unix socket that programs connect to.
private final class ListeningSocket {
    private let descriptor: CInt

    init(at path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(descriptor, 4) == 0)
    }

    deinit { close(descriptor) }

    /// The next connection, within 20 s.
    func accept() throws -> CInt {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(unsafe poll(&waiting, 1, 20_000) == 1, "no program came")
        let end = Glibc.accept(descriptor, nil, nil)
        try #require(end >= 0)
        return end
    }
}
