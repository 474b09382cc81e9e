internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobModel

extension AgentPlace {
    /// The place for the vault at `location`, by the process's own variables.
    init?(_ location: KeyringLocation) throws(KeyringError) {
        try self.init(location, Environment.current.variables)
    }

    /// Whether an agent has its turn there.
    var hasAgent: Bool { AgentSocket.isTaken(socket) }
}

/// An agent that runs, or may run, and has to do with a vault.
struct AgentHere {
    let place: AgentPlace
    /// What it has left of itself; nil where it has left nothing that this process sees.
    let note: AgentNote?

    /// Whether it runs, as far as that can be told.
    var isThere: Bool { place.hasAgent || note?.isHeld ?? false }

    /// Its process; nil where this process does not see that.
    var process: Int32? {
        if let note { return note.visibleProcess }
        return AgentSocket.process(at: place.socket)
    }

    /// What is said where an agent that runs cannot be reached.
    ///
    /// - Parameter reason: Why, where that is known.
    func unreachable(_ reason: String? = nil) -> KeyringError {
        let name = process.map { "the agent, process \($0)," } ?? "an agent that runs"
        return KeyringError(
            .unavailable, "\(name) \(reason ?? "does not listen at \(place.socket) any more"); it may hold keys",
            hint: process.map { "'kill -9 \($0)' ends it, and with it the keys are gone" } ?? "end its process")
    }

    /// What it says of itself; nil where nobody listens.
    func status() throws(KeyringError) -> AgentClient.Status? { try AgentClient(place.socket)?.status() }

    /// Has the agent forget its keys.
    ///
    /// - Returns: Whether it had any; nil where no agent runs.
    /// - Throws: `unavailable` where one runs that may still have them, `notPermitted`.
    func lock() throws(KeyringError) -> Bool? {
        // Without its lock's file an agent may still be listening.
        let mayListen = FileAccess.status(place.socket + ".lock", following: false) == nil && isHeard
        guard isThere || mayListen else { return nil }
        let problem: KeyringError
        do throws(KeyringError) {
            if let wasOpen = try toldToLock() { return wasOpen }
            problem = unreachable()
        } catch {
            guard [.unavailable, .busy].contains(error.code) else { throw error }
            problem = unreachable("does not answer")
        }
        // One whose socket or lock was taken away ends by itself.
        for _ in 0..<100 where isThere || isHeard { usleep(20_000) }
        guard isThere || isHeard else { return true }
        throw problem
    }

    private var isHeard: Bool { AgentSocket.isHeard(place.socket) }

    /// What it says to a call to lock; nil where nobody listens.
    ///
    /// Crowded out by programs, it is called again for a second.
    private func toldToLock() throws(KeyringError) -> Bool? {
        for _ in 0..<50 {
            do throws(KeyringError) {
                return try AgentClient(place.socket)?.lock()
            } catch  where error.code == .busy {
                usleep(20_000)
            }
        }
        return try AgentClient(place.socket)?.lock()
    }

    /// The agents of the vault at `location`, in whatever runtime folder.
    ///
    /// The first is that of the vault's own socket, whether or not one runs there. The others are where the notes say that they
    /// listen, and where the kernel's table does. Where one does not answer, and may be of this vault, it is taken for one.
    static func all(of location: KeyringLocation) -> [AgentHere] {
        let notes = AgentNote.all(in: location.state)
        let own = (try? AgentPlace(location)).flatMap { $0 }
        let here = own.map { own in AgentHere(place: own, note: notes.first { $0.socket == own.socket }) }
        let sought = SoughtVault(location)
        var sockets = Set([own?.socket].compactMap(\.self))
        let noted = notes.filter { sockets.insert($0.socket).inserted }.filter { note in
            AgentHere(note).isOf(sought)
        }
        let heard = AgentSocket.ofAgents().filter { sockets.insert($0).inserted }.map { socket in
            AgentHere(place: AgentPlace(folder: FileAccess.folder(of: socket), socket: socket), note: nil)
        }
        return (here.map { [$0] } ?? []) + noted.map { AgentHere($0) } + heard.filter { $0.isOf(sought) }
    }

    private init(_ note: AgentNote) {
        self.init(place: AgentPlace(folder: FileAccess.folder(of: note.socket), socket: note.socket), note: note)
    }

    init(place: AgentPlace, note: AgentNote?) { (self.place, self.note) = (place, note) }

    /// Whether it has to do with a vault, by what it says of itself; by its note where it says nothing.
    private func isOf(_ vault: SoughtVault) -> Bool {
        let written = note.map(vault.isMeant) ?? AgentSocket.vault(at: place.socket).map { vault.place.path == $0 }
        if written == true { return true }
        do throws(KeyringError) {
            // Of another vault as it says: it is not waited for as long.
            let patience = written == nil ? AgentClient.patience : 1
            guard let status = try AgentClient(place.socket)?.status(patience: patience) else { return false }
            return vault.isMeant(by: status)
        } catch {
            return written ?? (error.code == .unavailable)
        }
    }
}

/// The vault whose agents are looked for.
private struct SoughtVault {
    let place: VaultPlace
    /// Nil where it cannot be read.
    private let id: String?

    init(_ location: KeyringLocation) {
        place = VaultPlace(location)
        id = try? LockedKeyring(at: location).vaultID
    }

    func isMeant(by status: AgentClient.Status) -> Bool {
        place.isSame(as: VaultPlace(path: status.vault, folder: status.folder)) || id != nil && id == status.id
    }

    func isMeant(by note: AgentNote) -> Bool { place.isSame(as: note.place) || id != nil && id == note.vault }
}

extension AgentClient {
    /// What an agent says of itself.
    struct Status {
        let process: Int
        /// Its vault's folder.
        let vault: String
        /// The numbers of that folder, where it is there.
        let folder: String?
        let isOpen: Bool
        /// The id of the vault whose keys it holds.
        let id: String?
        let until: Int64?
    }

    /// What it is, and whether it holds keys.
    func status(patience: Int = AgentClient.patience) throws(KeyringError) -> Status {
        let reply = try call("Status", patience: patience)
        guard let process = reply.integer("process"), let vault = reply.string("vault") else { throw Self.senseless() }
        return Status(
            process: Int(process), vault: vault, folder: reply.string("folder"), isOpen: reply.flag("isOpen"),
            id: reply.string("id"), until: reply.integer("until"))
    }

    /// Has it forget its keys.
    ///
    /// - Returns: Whether it had any.
    func lock() throws(KeyringError) -> Bool { try call("Lock").flag("wasOpen") }

    /// Has it take back what programs were allowed until it ends, in these groups or all.
    ///
    /// - Returns: How many permissions there were.
    func forget(_ programs: [Program], in groups: [AccessGroup]?) throws(KeyringError) -> Int {
        let describe: (inout JSONWriter) -> Void = { writer in
            writer.member("programs", programs.map(\.description))
            if let groups { writer.member("groups", groups.map(\.name)) }
        }
        let reply = try call("Forget", describe)
        guard let count = reply.integer("count") else { throw Self.senseless() }
        return Int(count)
    }
}
