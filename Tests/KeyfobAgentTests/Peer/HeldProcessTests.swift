import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// A process that becomes another program and is held up at that by a file system of its own: whoever reads its memory waits.
@Suite("Who holds itself up holds up nobody else", .waitsForPrograms)
struct HeldProcessTests {
    /// Mounts a file system (FUSE) that never lets a file be closed, and has a child with such a file start another program.
    private static let script = """
        import ctypes, os, struct, sys, time
        libc, folder = ctypes.CDLL(None), sys.argv[1]
        user, group = os.getuid(), os.getgid()
        assert libc.unshare(0x10020000) == 0
        for name, text in ('setgroups', 'deny'), ('uid_map', f'0 {user} 1'), ('gid_map', f'0 {group} 1'):
            open(f'/proc/self/{name}', 'w').write(text)
        line = os.open('/dev/fuse', os.O_RDWR)
        options = f'fd={line},rootmode=40000,user_id=0,group_id=0'
        assert libc.mount(b'held', folder.encode(), b'fuse', 0, options.encode()) == 0
        if len(sys.argv) == 2: sys.exit()
        child = os.fork()
        if child == 0:
            os.close(line)
            file = os.open(folder + '/file', os.O_RDONLY)
            os.execv('/bin/cat', ['cat'])
        def status(number, mode):
            return struct.pack('<QQQQQQIIIIIIIIII', number, 0, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
        while True:
            question = os.read(line, 1 << 17)
            _, kind, number, _ = struct.unpack('<IIQQ', question[:24])
            body = b''
            if kind == 26: body = struct.pack('<IIIIHHIIHHII', 7, 31, 0, 0, 0, 0, 65536, 1, 0, 0, 0, 0) + bytes(24)
            elif kind == 3: body = struct.pack('<QII', 0, 0, 0) + status(1, 0o40755)
            elif kind == 1: body = struct.pack('<QQQQII', 2, 0, 60, 60, 0, 0) + status(2, 0o100644)
            elif kind == 14: body = bytes(16)
            elif kind == 25:
                print(child, flush=True)
                sys.stdin.read()
                sys.exit()
            elif kind in (2, 42): continue
            else:
                os.write(line, struct.pack('<IiQ', 16, -38, number))
                continue
            os.write(line, struct.pack('<IiQ', 16 + len(body), 0, number) + body)
        """

    private static func start(_ words: [String]) throws -> (Process, Pipe, Pipe) {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script] + words
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, input, output)
    }

    private static let arePossible: Bool = {
        guard let scratch = try? ScratchFolder(), let (process, _, _) = try? start([scratch.path]) else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(
        "A process that is held up while it becomes another program is looked at without waiting",
        .enabled(if: arePossible, "no file system can be mounted here by FUSE (/dev/fuse, user namespaces)"))
    func held() throws {
        let scratch = try ScratchFolder()
        let (server, input, output) = try Self.start([scratch.path, "hold"])
        defer {
            try? input.fileHandleForWriting.close()
            server.waitUntilExit()
        }
        let told = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let number = try #require(Int32(told.trimmingCharacters(in: .whitespacesAndNewlines)))
        // Whoever reads what needs its memory waits.
        let reader = Process()
        reader.executableURL = URL(filePath: "/usr/bin/timeout")
        reader.arguments = ["1", "cat", "/proc/\(number)/auxv"]
        reader.standardOutput = FileHandle.nullDevice
        try reader.run()
        reader.waitUntilExit()
        #expect(reader.terminationStatus == 124)
        let looked = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if let peer = PeerProcess(number, user: geteuid()), peer.isThere { looked.signal() }
        }
        #expect(looked.wait(timeout: .now() + 10) == .success)
    }
}
