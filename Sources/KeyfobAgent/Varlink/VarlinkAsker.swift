internal import Keyfob
internal import KeyfobFiles

/// Who is at the other end of a connection, and whose share of the server's room that counts as.
final class VarlinkAsker {
    let peer: PeerProcess
    private let naming: (PeerProcess) -> String

    /// Looked for once there is little room: it takes reading what the system tells of the process.
    private(set) lazy var program = naming(peer)

    init(_ peer: PeerProcess, naming: @escaping (PeerProcess) -> String) { (self.peer, self.naming) = (peer, naming) }

    /// The program, or the process alone where that cannot be told.
    static func name(_ peer: PeerProcess) -> String {
        (try? ProgramSearch(table: peer.table, process: peer.number).program().description)
            ?? "process \(peer.number)"
    }
}
