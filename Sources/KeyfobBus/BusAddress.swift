internal import KeyfobModel

/// Where a message bus listens.
///
/// Only sockets of this machine: an address that would start a bus (`autolaunch:`), run a program (`unixexec:`) or
/// leave the machine (`tcp:`) is passed over.
package enum BusAddress: Equatable, Sendable {
    /// A socket in the file system.
    case path([UInt8])
    /// A name in Linux's abstract space.
    case abstract([UInt8])

    /// The session bus's addresses, in the order in which they are to be tried; none when there is no bus.
    package static func session(_ environment: [String: String]) -> [BusAddress] {
        if let text = environment["DBUS_SESSION_BUS_ADDRESS"], !text.isEmpty { return addresses(text) }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return [] }
        return [.path([UInt8]("\(folder)/bus".utf8))].filter(\.isUsable)
    }

    /// The system bus's addresses (D-Bus specification, "Well-known Message Bus Instances").
    package static func system(_ environment: [String: String]) -> [BusAddress] {
        if let text = environment["DBUS_SYSTEM_BUS_ADDRESS"], !text.isEmpty { return addresses(text) }
        return [.path([UInt8]("/run/dbus/system_bus_socket".utf8))]
    }

    /// The usable ones of a list of addresses (D-Bus specification, "Server Addresses").
    package static func addresses(_ text: String) -> [BusAddress] {
        text.utf8.split(separator: UInt8(ascii: ";")).compactMap { address($0) }
    }

    private static func address(_ text: Substring.UTF8View) -> BusAddress? {
        let scheme = "unix:".utf8
        guard text.starts(with: scheme) else { return nil }
        var found: BusAddress?
        for pair in text.dropFirst(scheme.count).split(separator: UInt8(ascii: ",")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]) else { return nil }
            let address: BusAddress
            switch String(parts[0]) {
            case "path": address = .path(value)
            case "abstract": address = .abstract(value)
            case "guid": continue
            default: return nil
            }
            // One place for each address.
            guard found == nil else { return nil }
            found = address
        }
        guard let found, found.isUsable else { return nil }
        return found
    }

    /// Whether it fits into a socket's address (`unix(7)`: 108 bytes, one of them a zero).
    private var isUsable: Bool {
        switch self {
        case .path(let bytes): bytes.first == UInt8(ascii: "/") && bytes.count < 108 && !bytes.contains(0)
        case .abstract(let bytes): !bytes.isEmpty && bytes.count < 108
        }
    }
}
