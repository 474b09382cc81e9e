internal import Keyfob
internal import KeyfobAgent

/// What `status` tells of an agent that runs.
struct AgentText {
    private let place: AgentPlace
    private let location: KeyringLocation
    private let status: AgentClient.Status?

    /// The agent of the vault at `location`; nil where none runs.
    init?(at location: KeyringLocation) {
        guard let place = try? AgentPlace(location), place.hasAgent else { return nil }
        (self.place, self.location) = (place, location)
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
        guard let status else {
            let process = AgentSocket.process(at: place.socket)
            return process.map { "process \($0), does not answer; 'kill -9 \($0)' ends it" } ?? "does not answer"
        }
        let process = "process \(status.process)"
        guard status.isOpen else { return "\(process), holds no keys" }
        let until = status.until.map { ", until \(TimeText.moment(Timestamp(seconds: $0)))" } ?? ""
        return "\(process), holds keys\(whose)\(until)"
    }

    /// Whose keys it holds, where it is not this vault.
    private var whose: String {
        guard let status, let id = status.id else { return "" }
        let own = try? LockedKeyring(at: location).vaultID
        guard id != own || status.vault != location.vault else { return "" }
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
