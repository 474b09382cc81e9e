internal import Glibc
package import Keyfob
internal import KeyfobFiles
internal import KeyfobModel

/// What an agent leaves of itself in the state folder, so that its owner's commands find it from wherever they run: with another
/// runtime folder, in another network namespace, or with the vault under another name.
///
/// A note says where to ask, and what to say of an agent that does not answer; nothing else is believed from there. The agent has
/// its file locked as long as it runs, wherever its process can be seen from.
package struct AgentNote: Sendable {
    /// The socket's path.
    package let socket: String
    /// The folder of its vault.
    package let place: VaultPlace
    /// The vault's id; nil where it had none when this was written.
    package let vault: String?
    private let process: Int32
    private let start: String
    private let file: String

    private static let title = "keyfob-agent 1"

    /// The folder of the notes, in a state folder.
    package static func folder(in state: String) -> String { state + "/agents" }

    /// The number of its process; nil where no process of this number is that one, as in another namespace of processes, or
    /// where the kernel does not say that it has the note's file locked: anybody who can write there could name any process.
    package var visibleProcess: Int32? {
        guard ProcessTable().start(of: process) == start, let number = FileIdentity(file)?.number else { return nil }
        return Self.lockers(of: number).contains(process) ? process : nil
    }

    /// Whether whoever has its turn at the socket's path, as this process sees it, is somebody else: elsewhere, as in a container,
    /// the same path leads to another socket.
    package var isElsewhere: Bool { AgentSocket.process(at: socket).map { $0 != process } ?? false }

    /// The processes that have a file locked, by the kernel's table (proc_locks(5)).
    private static func lockers(of number: UInt64, _ table: String = "/proc/locks") -> [Int32] {
        guard case .bytes(let bytes, _) = FileAccess.read(table, limit: 16 << 20, following: false) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            // Number, kind, whether it is heeded, how, process, device and file, from, to.
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[5].hasSuffix(":\(number)") else { return nil }
            return Int32(fields[4])
        }
    }

    /// Whether the agent that has written it runs.
    package var isHeld: Bool { Self.isHeld(file) }

    /// Those of agents that run; those of others are removed.
    ///
    /// - Parameter unread: Called with the path of what may tell of an agent, and cannot be read.
    package static func all(in state: String, unread: (String) -> Void = { _ in }) -> [AgentNote] {
        let folder = folder(in: state)
        guard let status = FileAccess.status(folder, following: false) else {
            if errno != ENOENT && errno != ENOTDIR { unread(folder) }
            return []
        }
        guard status.isOwn, status.isDirectory, let names = try? POSIXFile.names(in: folder) else {
            unread(folder)
            return []
        }
        return names.filter { !$0.hasSuffix(".new") }.sorted().compactMap { name in
            let path = folder + "/" + name
            // No agent leaves anything else.
            guard FileAccess.status(path, following: false)?.isRegularFile == true else { return nil }
            let file = FileIdentity(path)
            guard isHeld(path) else {
                // Another may lie there by now.
                if FileIdentity(path) == file { unsafe unlink(path) }
                return nil
            }
            let note = AgentNote(reading: path)
            if note == nil { unread(path) }
            return note
        }
    }

    private static func isHeld(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        // What may be one, and cannot be looked at, is one.
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// One of this process, which lasts as long as the value lives.
    private final class Held {
        private let descriptor: CInt
        private let path: String
        private let place: VaultPlace

        /// Leaves a note; nil where none can be written.
        init?(of vault: KeyringLocation, id: String?, socket: String) {
            let (folder, number) = (AgentNote.folder(in: vault.state), getpid())
            let start = ProcessTable().start(of: number) ?? "-"
            place = VaultPlace(vault)
            path = "\(folder)/\(number)-\(start)"
            let lines = [AgentNote.title, socket, place.path, place.folder ?? "-", id ?? "-", "\(number)", start]
            let text = Array(lines.map { PercentEncoding.encode($0, only: "\n") + "\n" }.joined().utf8)
            // Complete under its name, and locked by then: whoever finds it otherwise takes it away.
            guard (try? POSIXFile.createDirectories(folder)) != nil, let file = try? TemporaryFile.make(for: path)
            else {
                return nil
            }
            descriptor = file.descriptor
            guard unsafe write(descriptor, text, text.count) == text.count, unsafe rename(file.path, path) == 0 else {
                unsafe unlink(file.path)
                return nil
            }
        }

        deinit {
            if FileIdentity(of: descriptor) == FileIdentity(path) { unsafe unlink(path) }
            close(descriptor)
        }

        /// Whether others still find it, and it says where the vault's folder is now.
        func isRight(for vault: KeyringLocation) -> Bool {
            guard let own = FileIdentity(of: descriptor), own == FileIdentity(path) else { return false }
            let now = VaultPlace(vault)
            return now.folder == nil || now == place
        }
    }

    /// Has a note of this process lie there as long as this lives.
    package final class Keeper {
        private let vault: KeyringLocation
        private let socket: String
        private let now: () -> Int64
        private var held: Held?
        private var next: Int64 = 0

        /// - Parameter now: The time, in milliseconds from any moment.
        package init(
            of vault: KeyringLocation, socket: String, now: @escaping () -> Int64 = VarlinkServer.uptime
        ) {
            (self.vault, self.socket, self.now) = (vault, socket, now)
        }

        /// Has the next ``keep()`` look, where something has changed in the folder.
        package func recheck() { next = 0 }

        /// Writes the note where it is missing, or tells of another folder than the vault has now; it looks once a second.
        ///
        /// - Returns: Whether it lies there.
        @discardableResult
        package func keep() -> Bool {
            guard now() >= next else { return isRight }
            next = now() + 1_000
            // The old one goes when the new one lies in its place.
            if !isRight, let new = Held(of: vault, id: try? LockedKeyring(at: vault).vaultID, socket: socket) {
                held = new
            }
            return isRight
        }

        private var isRight: Bool { held?.isRight(for: vault) ?? false }
    }

    private init?(reading path: String) {
        guard case .bytes(let bytes, let status) = FileAccess.read(path, limit: 1 << 15, following: false), status.isOwn
        else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        let lines = parts.compactMap { line in
            PercentEncoding.decode(line).map { String(decoding: $0, as: UTF8.self) }
        }
        guard lines.count == 7, lines[0] == Self.title, let process = Int32(lines[5]) else { return nil }
        (socket, file, self.process, start) = (lines[1], path, process, lines[6])
        place = VaultPlace(path: lines[2], folder: lines[3] == "-" ? nil : lines[3])
        vault = lines[4] == "-" ? nil : lines[4]
    }
}
