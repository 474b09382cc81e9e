internal import Keyfob

/// What `status` tells of an agent that runs.
struct AgentText {
    private let status: AgentClient.Status?

    /// The agent of the vault at `location`; nil where none runs.
    init?(at location: KeyringLocation) {
        guard let place = try? AgentPlace(location), place.hasAgent else { return nil }
        // One that is not there yet, or not any more, does not answer.
        status = Self.status(place)
    }

    private static func status(_ place: AgentPlace) -> AgentClient.Status? {
        do throws(KeyringError) {
            guard let client = try AgentClient(place.socket) else { return nil }
            return try client.status()
        } catch {
            return nil
        }
    }

    /// In one line.
    var words: String {
        guard let status else { return "does not answer" }
        let process = "process \(status.process)"
        guard status.isOpen else { return "\(process), holds no keys" }
        let until = status.until.map { ", until \(TimeText.moment(Timestamp(seconds: $0)))" } ?? ""
        return "\(process), holds keys\(until)"
    }

    /// In `status`.
    struct Document: Encodable {
        /// Nil where it does not answer.
        let process: Int?
        let isOpen: Bool?
        let until: String?
    }

    var document: Document {
        Document(
            process: status?.process, isOpen: status?.isOpen,
            until: status?.until.map { Timestamp(seconds: $0).rfc3339 })
    }
}
