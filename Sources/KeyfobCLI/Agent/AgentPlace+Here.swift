internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

extension AgentPlace {
    /// The place for the vault at `location`, by the process's own variables.
    init?(_ location: KeyringLocation) throws(KeyringError) {
        try self.init(location, Environment.current.variables)
    }

    /// Whether an agent has its turn there.
    var hasAgent: Bool { AgentSocket.isTaken(socket) }
}

extension AgentClient {
    /// What an agent says of itself.
    struct Status {
        let process: Int
        let isOpen: Bool
        let until: Int64?
    }

    /// What it is, and whether it holds keys.
    func status() throws(KeyringError) -> Status {
        let reply = try call("Status")
        guard let process = reply.integer("process") else { throw Self.senseless() }
        return Status(process: Int(process), isOpen: reply.flag("isOpen"), until: reply.integer("until"))
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
