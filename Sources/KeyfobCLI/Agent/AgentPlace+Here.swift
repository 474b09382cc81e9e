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

    /// What is said where an agent that runs cannot be reached.
    ///
    /// - Parameter reason: Why, where that is known.
    func unreachable(_ reason: String? = nil) -> KeyringError {
        let process = AgentSocket.process(at: socket)
        let name = process.map { "the agent, process \($0)," } ?? "an agent that runs"
        return KeyringError(
            .unavailable, "\(name) \(reason ?? "does not listen at \(socket) any more"); it may hold keys",
            hint: process.map { "'kill -9 \($0)' ends it, and with it the keys are gone" } ?? "end its process")
    }

    /// Has the agent that listens there forget its keys.
    ///
    /// - Returns: Whether it had any; nil where no agent runs.
    /// - Throws: `unavailable` where one runs that may still have them, `notPermitted`.
    func lock() throws(KeyringError) -> Bool? {
        // Without its lock's file an agent may still be listening.
        guard hasAgent || (FileAccess.status(socket + ".lock", following: false) == nil && AgentSocket.isHeard(socket))
        else { return nil }
        let problem: KeyringError
        do throws(KeyringError) {
            if let wasOpen = try toldToLock() { return wasOpen }
            problem = unreachable()
        } catch {
            guard error.code == .unavailable else { throw error }
            problem = unreachable("does not answer")
        }
        // One whose socket or lock was taken away ends by itself.
        for _ in 0..<100 where hasAgent || AgentSocket.isHeard(socket) { usleep(20_000) }
        guard hasAgent || AgentSocket.isHeard(socket) else { return true }
        throw problem
    }

    /// What it says to a call to lock; nil where nobody listens.
    ///
    /// Crowded out by programs, it is called again for a second.
    private func toldToLock() throws(KeyringError) -> Bool? {
        for _ in 0..<50 {
            do throws(KeyringError) {
                return try AgentClient(socket)?.lock()
            } catch  where error.code == .busy {
                usleep(20_000)
            }
        }
        return try AgentClient(socket)?.lock()
    }

    /// Where the agents of the vault at `location` listen: in the runtime folder that this process has, and in any other.
    ///
    /// For a vault that cannot be read, by which a socket is called, all agents that run are looked at.
    static func agents(of location: KeyringLocation) -> [AgentPlace] {
        let here = (try? AgentPlace(location)).flatMap { $0 }
        let others = AgentSocket.ofAgents().filter { socket in
            guard socket != here?.socket else { return false }
            if let vault = AgentSocket.vault(at: socket) { return vault == location.vault }
            // systemd's, which has no turn while nobody has asked.
            return (try? AgentClient(socket)?.status().vault) == location.vault
        }
        return (here.map { [$0] } ?? []) + others.map { AgentPlace(folder: FileAccess.folder(of: $0), socket: $0) }
    }
}

extension AgentClient {
    /// What an agent says of itself.
    struct Status {
        let process: Int
        /// Its vault's folder.
        let vault: String
        let isOpen: Bool
        /// The id of the vault whose keys it holds.
        let id: String?
        let until: Int64?
    }

    /// What it is, and whether it holds keys.
    func status() throws(KeyringError) -> Status {
        let reply = try call("Status")
        guard let process = reply.integer("process"), let vault = reply.string("vault") else { throw Self.senseless() }
        return Status(
            process: Int(process), vault: vault, isOpen: reply.flag("isOpen"), id: reply.string("id"),
            until: reply.integer("until"))
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
