/// Why there is no object on the bus, or no longer.
package enum BusFailure: Error, Equatable, Sendable {
    /// libsystemd is missing, or too old (before 245).
    case noLibrary
    /// There is no session bus of this user's.
    case noBus
    /// The bus does not answer in time.
    case timedOut
    /// Another program owns the name.
    case nameTaken
    /// The bus does not let this program own the name.
    case nameRefused
    /// The bus has gone away.
    case ended
    /// The system refused a call: its error number.
    case system(Int32)
}
