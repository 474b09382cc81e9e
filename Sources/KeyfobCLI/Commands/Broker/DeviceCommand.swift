internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Say what the identity broker knows of this machine.",
        discussion: """
            The id is made of /etc/machine-id, which it does not tell. Keyfob has no key of the machine: where it is the broker, \
            or nobody is, the machine is not registered anywhere. What another broker has registered it tells nobody, so \
            that is unknown. The machine is shared where an administrator has made the file \(DeviceInformation.sharedMark): \
            the sign-out of an account by way of the broker then ends it for all programs. It opens no vault.

            Example:
              keyfob device
              keyfob device --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let broker = SessionBroker.kind(Environment.current.variables)
        let device = DeviceInformation()
        let document = DeviceDocument(
            id: device.id, registration: broker.kind == .other ? "unknown" : "none",
            mode: device.isShared ? "shared" : "personal", broker: broker.kind.rawValue,
            isBrokerRunning: broker.isRunning)
        if global.json { return try JSONOutput.print(document) }
        var table = Table(header: [])
        table.add(["id", document.id ?? "none: /etc/machine-id holds none"])
        table.add(["registered", broker.kind == .other ? "unknown: another program is the broker" : "no"])
        table.add(["mode", document.mode])
        table.add(["broker", Self.words(broker)])
        try StandardOutput.write(lines: table.text)
    }

    private static func words(_ broker: (kind: SessionBroker.Kind, isRunning: Bool)) -> String {
        switch broker.kind {
        case .none: "none"
        case .keyfob: broker.isRunning ? "keyfob" : "keyfob, started when a program asks"
        case .other: broker.isRunning ? "another program" : "another program, started when a program asks"
        }
    }
}

/// `Schemas/device.schema.json`.
private struct DeviceDocument: JSONDocument {
    let formatVersion = 1
    let id: String?
    let registration: String
    let mode: String
    let broker: String
    let isBrokerRunning: Bool
}
