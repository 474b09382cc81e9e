public import Keyfob

/// A program that asks an agent for something.
public struct AgentCaller: Sendable {
    /// By which door it comes.
    public enum Door: String, Hashable, Sendable, CaseIterable {
        /// The agent's socket.
        case socket
        /// The session bus.
        case bus
    }

    /// What permissions call it.
    public let program: Program
    /// Its process.
    public let process: Int32
    /// The user who runs it.
    public let user: UInt32
    /// By which door it comes.
    public let door: Door
    /// The SHA-256 of the program's file, 64 hexadecimal digits; nil where there is none, or it cannot be read.
    public let digest: @Sendable () -> String?

    /// A program that asks.
    public init(
        _ program: Program, process: Int32, user: UInt32, door: Door, digest: @escaping @Sendable () -> String?
    ) {
        self.program = program
        self.process = process
        self.user = user
        self.door = door
        self.digest = digest
    }
}
