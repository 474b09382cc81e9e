internal import Glibc
package import Keyfob
internal import KeyfobFiles

/// The socket at which an agent listens: one that systemd gives it (sd_listen_fds(3)), or one that it makes.
package struct AgentSocket: ~Copyable {
    /// The socket.
    package let descriptor: CInt
    /// Where it was made; nil for one that was given.
    private let path: String?
    /// What lies there; nil for one that was given.
    private let file: FileIdentity?

    /// One agent at a time: whoever holds this is the one.
    package struct Turn: ~Copyable {
        private let lock: FileLock
        private let path: String

        /// Takes the turn at a socket's path, in a folder that is there.
        ///
        /// - Parameter vault: The folder of the vault that it is the agent of.
        /// - Throws: `alreadyExists` where another agent has it.
        package init(at path: String, of vault: String) throws(KeyringError) {
            let file = path + ".lock"
            do {
                lock = try FileLock(file, orBusyAfter: .seconds(1))
            } catch StoreError.busy {
                let process = AgentSocket.process(at: path)
                let number = process.map { " (process \($0))" } ?? ""
                // The kernel's table keeps the path of a socket whose file is gone.
                guard FileAccess.status(path, following: false) != nil, AgentSocket.isHeard(path) else {
                    let end = process.map { "; 'kill -9 \($0)' ends it" } ?? ""
                    throw KeyringError(
                        .alreadyExists,
                        "an agent runs already\(number), which nobody reaches: it does not listen at \(path)\(end)",
                        advice: nil)
                }
                throw KeyringError(.alreadyExists, "an agent runs already\(number)", advice: nil)
            } catch {
                throw KeyringError(error)
            }
            self.path = file
            // For whoever comes second; the lock is what counts.
            let descriptor = unsafe open(file, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return }
            let folder = FileIdentity(vault, following: true)?.text ?? ""
            let text = Array("\(getpid())\n\(folder)\n\(vault)".utf8)
            _ = unsafe write(descriptor, text, text.count)
            close(descriptor)
        }

        /// Whether others still find the lock: once its file is gone, or another's, a second agent takes a turn of its own.
        package var isInPlace: Bool { lock.file != nil && lock.file == FileIdentity(path) }
    }

    /// The process that says that it has its turn at a socket's path; nil where none has said so.
    ///
    /// It may have ended.
    package static func process(at path: String) -> Int32? { holder(of: path).first.flatMap { Int32($0) } }

    /// The folder of the vault whose agent says that it has its turn at a socket's path; nil where none has said so.
    package static func vault(at path: String) -> VaultPlace? {
        let lines = holder(of: path)
        guard lines.count > 2 else { return nil }
        return VaultPlace(path: String(lines[2]), folder: lines[1].isEmpty ? nil : String(lines[1]))
    }

    /// What the agent says that has its turn at a socket's path, by line: its process, the numbers of its vault's folder, and that
    /// folder's path.
    private static func holder(of path: String) -> [Substring] {
        guard case .bytes(let bytes, _) = FileAccess.read(path + ".lock", limit: 8_192, following: false) else {
            return []
        }
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    }

    /// Whether an agent has its turn at a socket's path.
    package static func isTaken(_ path: String) -> Bool {
        let file = path + ".lock"
        guard FileAccess.status(file, following: false) != nil else { return false }
        do {
            _ = try FileLock(file, orBusyAfter: .zero)
            return false
        } catch {
            return true
        }
    }

    /// The socket that systemd has given this process; nil where there is none.
    ///
    /// - Throws: `configuration` for one that is no listening unix socket, or several.
    package init?(given environment: [String: String]) throws(KeyringError) {
        guard environment["LISTEN_PID"] == "\(getpid())", let count = environment["LISTEN_FDS"].flatMap({ Int($0) })
        else { return nil }
        // What this process starts has none of them.
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
        let first: CInt = 3
        guard count == 1, Self.option(SO_ACCEPTCONN, of: first) == 1, Self.option(SO_DOMAIN, of: first) == AF_UNIX,
            Self.option(SO_TYPE, of: first) == CInt(SOCK_STREAM.rawValue)
        else {
            throw KeyringError(.configuration, "LISTEN_FDS gives something else than one unix socket that listens")
        }
        // Of who has connected before, the server asks.
        PeerProcess.askForWriters(at: first)
        Self.prepare(first)
        (descriptor, path, file) = (first, nil, nil)
    }

    /// A new socket at a path, in the place of one that nobody listens at any more.
    ///
    /// - Parameter turn: That no other agent has this path.
    /// - Throws: `configuration`, `unavailable`, `inputOutput`.
    package init(at path: String, _ turn: borrowing Turn) throws(KeyringError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else {
            throw KeyringError(.configuration, "\(path) is too long for a socket, which has \(room - 1) bytes")
        }
        if let there = FileAccess.status(path, following: false) {
            guard !there.isRegularFile, !there.isDirectory, !there.isSymbolicLink else {
                throw KeyringError(.configuration, "\(path) is in the way: it is no socket")
            }
            guard !Self.isHeard(path) else {
                throw KeyringError(
                    .alreadyExists, "somebody listens at \(path) already, such as systemd for keyfob-agent.socket")
            }
            unsafe unlink(path)
        }
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw KeyringError(.unavailable, "there are no file descriptors left") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        PeerProcess.askForWriters(at: socket)
        guard isBound, unsafe chmod(path, 0o600) == 0, listen(socket, 128) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            close(socket)
            throw KeyringError(.inputOutput, "no socket can be made at \(path): \(reason)")
        }
        Self.prepare(socket)
        (descriptor, self.path, file) = (socket, path, FileIdentity(path))
    }

    deinit {
        if let path, isInPlace { unsafe unlink(path) }
        close(descriptor)
    }

    /// Whether it is still what others find where it was made; of one that was given, whoever gave it sees to that.
    package var isInPlace: Bool { path.map { file != nil && file == FileIdentity($0) } ?? true }

    /// Whether somebody listens at a path, by the kernel's table: to connect would start what systemd has there.
    package static func isHeard(_ path: String, table: String = table) -> Bool { listened(table).contains(path) }

    /// Whether a path is called as the socket of an agent is in a runtime folder.
    package static func isPlaceOfAgent(_ path: String) -> Bool {
        let name = path.split(separator: "/").suffix(2)
        return name.first == "keyfob" && (name.last == "agent" || name.last?.hasPrefix("agent-") == true)
    }

    /// The sockets of this user's agents, whatever runtime folder they are in.
    package static func ofAgents(_ table: String = table) -> [String] {
        listened(table).filter { path in
            isPlaceOfAgent(path) && FileAccess.status(path, following: false)?.isOwn == true
        }
    }

    /// The kernel's table of sockets (proc(5)).
    package static let table = "/proc/net/unix"

    /// The paths at which somebody listens.
    private static func listened(_ table: String) -> [String] {
        guard case .bytes(let bytes, _) = FileAccess.read(table, limit: 64 << 20, following: false) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // Address, references, protocol, flags (__SO_ACCEPTCON), type, state, inode, path.
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard fields.count == 8, fields[3].elementsEqual("00010000".utf8) else { return nil }
            return String(decoding: fields[7], as: UTF8.self)
        }
    }

    private static func prepare(_ socket: CInt) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    }

    private static func option(_ name: CInt, of socket: CInt) -> CInt {
        var value: CInt = -1
        var count = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(socket, SOL_SOCKET, name, &value, &count) == 0 ? value : -1
    }
}
