/// What other threads have for the one of the bus.
typealias BusOutbox = Mailbox<BusItem>

/// Something that other threads have for the one of the bus.
enum BusItem: Sendable {
    case text(UInt64, BusText)
    case error(UInt64, String, String)
    /// Let go of the name, answer what is open, and end.
    case retire
    /// End.
    case stop
}
