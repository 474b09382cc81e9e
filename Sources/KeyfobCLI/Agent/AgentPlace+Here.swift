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
    /// What may tell of one, and cannot be read, where that is all that is known of it.
    let unread: String?

    /// Whether it runs, as far as that can be told.
    var isThere: Bool { unread != nil || !isElsewhere && place.hasAgent || note?.isHeld ?? false }

    /// Whether its socket's path leads to another's here.
    private var isElsewhere: Bool { note?.isElsewhere ?? false }

    /// Its process; nil where this process does not see that.
    var process: Int32? {
        if let note { return note.visibleProcess }
        return unread == nil ? AgentSocket.process(at: place.socket) : nil
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
    func status() throws(KeyringError) -> AgentClient.Status? {
        guard unread == nil, !isElsewhere else { return nil }
        return try AgentClient(place.socket)?.status()
    }

    /// Has its process end, where it listens.
    func end() throws(KeyringError) {
        guard let process = try AgentClient(place.socket)?.process, kill(process, SIGTERM) != 0 else { return }
        throw KeyringError(.unavailable, "its process does not end", hint: nil)
    }

    /// Has the agent forget its keys.
    ///
    /// - Returns: Whether it had any; nil where no agent runs.
    /// - Throws: `unavailable` where one runs that may still have them, `notPermitted`.
    func lock() throws(KeyringError) -> Bool? {
        if let unread {
            throw KeyringError(
                .unavailable, "\(unread) cannot be read, and may tell of an agent that holds keys",
                hint: "end the agents that run ('pgrep -a keyfob' lists them), remove it, and type 'keyfob lock' again")
        }
        if isElsewhere {
            guard isThere else { return nil }
            throw unreachable("listens at \(place.socket) of a container, or of another namespace")
        }
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
        let end = VarlinkServer.uptime() + 1_000
        while VarlinkServer.uptime() < end {
            do throws(KeyringError) {
                return try AgentClient(place.socket)?.lock()
            } catch  where error.code == .busy {
                usleep(20_000)
            }
        }
        return try AgentClient(place.socket)?.lock()
    }

    /// The agents of the vault at `location`, in whatever runtime folder.
    static func all(of location: KeyringLocation) -> [AgentHere] {
        let search = AgentSearch(location)
        return search.known + search.others()
    }

    fileprivate init(_ note: AgentNote) {
        self.init(at: note.socket, note: note)
    }

    fileprivate init(at socket: String, note: AgentNote? = nil) {
        self.init(place: AgentPlace(folder: FileAccess.folder(of: socket), socket: socket), note: note)
    }

    init(place: AgentPlace, note: AgentNote?) { (self.place, self.note, unread) = (place, note, nil) }

    /// What may tell of one, and cannot be read.
    fileprivate init(unread: String) {
        place = AgentPlace(folder: FileAccess.folder(of: unread), socket: unread)
        (note, self.unread) = (nil, unread)
    }

    /// Whether it has to do with a vault, by what it says of itself; by its note where it says nothing.
    fileprivate func isOf(_ vault: SoughtVault) -> Bool {
        let written = note.map(vault.isMeant) ?? AgentSocket.vault(at: place.socket).map { vault.place.isSame(as: $0) }
        if written == true || isElsewhere { return written ?? true }
        do throws(KeyringError) {
            // Of another vault as it says: it is not waited for as long.
            let patience = written == nil ? AgentClient.patience : 1
            guard let status = try AgentClient(place.socket)?.status(patience: patience) else { return false }
            return vault.isMeant(by: status)
        } catch {
            return written ?? [.unavailable, .busy].contains(error.code)
        }
    }
}

/// The agents of a vault, in whatever runtime folder: those that are known by what lies here, and those that have to be asked.
struct AgentSearch {
    /// The first is that of the vault's own socket, whether or not one runs there; then those whose notes tell of this vault, and
    /// what may be a note and cannot be read.
    let known: [AgentHere]
    private let sought: SoughtVault
    private let asked: [AgentHere]

    init(_ location: KeyringLocation) {
        var unread: [AgentHere] = []
        var notes = AgentNote.all(in: location.state) { unread.append(AgentHere(unread: $0)) }
        let own = (try? AgentPlace(location)).flatMap { $0 }
        let index = own.flatMap { own in notes.firstIndex { $0.socket == own.socket && !$0.isElsewhere } }
        let note = index.map { notes.remove(at: $0) }
        let here = own.map { AgentHere(place: $0, note: note) }
        let sought = SoughtVault(location)
        self.sought = sought
        known =
            [here].compactMap(\.self) + notes.filter { sought.isMeant(by: $0) }.map { AgentHere($0) } + unread
        asked = notes.filter { !sought.isMeant(by: $0) }.map { AgentHere($0) }
    }

    /// The others, where the notes and the kernel's table say that they listen, by what they say whose they are.
    ///
    /// One that does not answer, and may be of this vault, is taken for one.
    func others() -> [AgentHere] {
        let sockets = Set((known + asked).map(\.place.socket))
        let heard = AgentSocket.ofAgents().filter { !sockets.contains($0) }.map { AgentHere(at: $0) }
        return (asked + heard).filter { $0.isOf(sought) }
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
