/// How a call over the bus failed.
package enum BusCallFailure: Error, Equatable, Sendable {
    /// The name of the error that came back; never its message.
    case remote(String)
    case timedOut
    /// The connection to the bus is gone.
    case closed
    /// The answer has another type than it should have.
    case oddAnswer
    /// An argument that D-Bus cannot carry, such as a text with a zero in it.
    case unfitArgument
}
