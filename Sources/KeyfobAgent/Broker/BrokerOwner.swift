internal import KeyfobBus
internal import KeyfobFiles

/// The process that owns the broker's name on a bus.
struct BrokerOwner {
    /// The unique name of its connection.
    let connection: String
    let user: UInt32
    /// Whether it is Keyfob's agent, by the file that runs.
    let isKeyfob: Bool

    private static let bus = "org.freedesktop.DBus"
    private static let name = BusObject.broker.name

    /// Who owns it now; nil where nobody does.
    init?(_ client: BusClient, until deadline: Deadline) throws(BusCallFailure) {
        do throws(BusCallFailure) {
            let owner = try Self.ask(client, "GetNameOwner", [.string(Self.name)], returning: "s", deadline)
            guard let connection = owner.first?.text else { throw .oddAnswer }
            let user = try Self.ask(
                client, "GetConnectionUnixUser", [.string(connection)], returning: "u", deadline)
            let process = try Self.ask(
                client, "GetConnectionUnixProcessID", [.string(connection)], returning: "u", deadline)
            guard let user = user.first?.number, let process = process.first?.number else { throw .oddAnswer }
            self.connection = connection
            self.user = UInt32(truncatingIfNeeded: user)
            let program = FileAccess.link("/proc/\(process)/exe")
            isKeyfob =
                program != nil
                && (program == FileAccess.link("/proc/self/exe") || program?.split(separator: "/").last == "keyfob")
        } catch {
            // It may have gone in between.
            guard error == .remote("\(Self.bus).Error.NameHasNoOwner") else { throw error }
            return nil
        }
    }

    /// Whether the bus could start one.
    static func isActivatable(_ client: BusClient, until deadline: Deadline) throws(BusCallFailure) -> Bool {
        try ask(client, "ListActivatableNames", [], returning: "as", deadline).first?.texts?.contains(name) ?? false
    }

    /// Has the bus start it, and waits until it has the name.
    static func start(_ client: BusClient, until deadline: Deadline) throws(BusCallFailure) {
        _ = try ask(client, "StartServiceByName", [.string(name), .number(0)], returning: "u", deadline)
    }

    private static func ask(
        _ client: BusClient, _ method: String, _ arguments: [BusArgument], returning type: String, _ deadline: Deadline
    ) throws(BusCallFailure) -> [BusValue] {
        try client.call(
            bus, "/org/freedesktop/DBus", bus, method, arguments, returning: type, until: deadline)
    }
}
