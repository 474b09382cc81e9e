internal import Keyfob
internal import KeyfobAgent

/// What `status` tells of an agent that runs.
struct AgentText {
    private let agent: AgentHere
    /// Whether it listens where this process looks for the vault's.
    private let isOwn: Bool
    private let location: KeyringLocation
    private let status: AgentClient.Status?

    /// The agents of the vault at `location` that run: those that 'lock' reaches.
    static func all(at location: KeyringLocation) -> [AgentText] {
        let own = (try? AgentPlace(location))?.socket
        return AgentHere.all(of: location).filter(\.isThere).map { agent in
            // One that is not there yet, or not any more, does not answer.
            AgentText(
                agent: agent, isOwn: agent.place.socket == own, location: location,
                status: (try? agent.status()).flatMap { $0 })
        }
    }

    /// Whether it answers.
    var isAnswering: Bool { status != nil }

    /// In one line.
    var words: String {
        guard let status else {
            if let unread = agent.unread { return "\(unread) cannot be read, and may tell of one" }
            return agent.process.map { "process \($0), does not answer; 'kill -9 \($0)' ends it" } ?? "does not answer"
        }
        let process = "process \(status.process)" + (isOwn ? "" : " at \(agent.place.socket)")
        guard status.isOpen else { return "\(process), holds no keys" }
        let until = status.until.map { ", until \(TimeText.moment(Timestamp(seconds: $0)))" } ?? ""
        return "\(process), holds keys\(whose)\(until)"
    }

    /// Whose keys it holds, where it is not this vault.
    private var whose: String {
        guard let status, let id = status.id else { return "" }
        let own = try? LockedKeyring(at: location).vaultID
        let place = VaultPlace(path: status.vault, folder: status.folder)
        guard id != own || !VaultPlace(location).isSame(as: place) else { return "" }
        return " of another vault, \(id) in \(status.vault)"
    }

    /// In `status`.
    struct Document: Encodable {
        /// Nil where it does not answer.
        let process: Int?
        let isOpen: Bool?
        /// The id of the vault whose keys it holds.
        let id: String?
        let until: String?
    }

    var document: Document {
        Document(
            process: status?.process, isOpen: status?.isOpen, id: status?.id,
            until: status?.until.map { Timestamp(seconds: $0).rfc3339 })
    }
}
