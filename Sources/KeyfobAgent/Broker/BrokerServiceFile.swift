internal import Keyfob
internal import KeyfobBus
internal import KeyfobFiles

/// Looks for service files with which the bus would start another broker (D-Bus specification, "Message Bus Starting Services").
package enum BrokerServiceFile {
    private static let name = "com.microsoft.identity.broker1.service"

    /// Where the person's own one lies; nil where no variable leads there.
    package static func ownPath(_ environment: [String: String]) -> String? {
        ownFolder(environment).map(path)
    }

    /// The path of one that starts another broker; nil where there is none.
    package static func other(_ environment: [String: String]) -> String? {
        for folder in folders(environment) {
            let path = path(in: folder)
            switch FileAccess.read(path, limit: limit, following: true) {
            case .missing: continue
            case .bytes(let content, _) where isOwn(content): continue
            case .bytes, .link, .notRegular, .tooLarge, .failed: return path
            }
        }
        return nil
    }

    /// - Throws: `unavailable` where one is installed that does not start Keyfob.
    static func requireNoOther(_ environment: [String: String]) throws(KeyringError) {
        guard let path = other(environment) else { return }
        throw KeyringError(
            .unavailable,
            "another identity broker is installed (\(path)): remove it, or start the agent without --broker")
    }

    /// Whether the bus would start Keyfob, so that somebody wants it to be the broker.
    static func isOwnInstalled(_ environment: [String: String]) -> Bool {
        folders(environment).contains { folder in
            guard case .bytes(let content, _) = FileAccess.read(path(in: folder), limit: limit, following: true) else {
                return false
            }
            return isOwn(content)
        }
    }

    private static let limit = 64 << 10

    private static func path(in folder: String) -> String { "\(folder)/dbus-1/services/\(name)" }

    /// Where a session bus looks: the folders of the person's data and of the system's.
    static func folders(_ environment: [String: String]) -> [String] {
        let system = value("XDG_DATA_DIRS", environment) ?? "/usr/local/share:/usr/share"
        return [value("XDG_RUNTIME_DIR", environment), ownFolder(environment)].compactMap(\.self)
            + system.split(separator: ":").map(String.init)
    }

    private static func ownFolder(_ environment: [String: String]) -> String? {
        value("XDG_DATA_HOME", environment) ?? value("HOME", environment).map { "\($0)/.local/share" }
    }

    private static func value(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether what a service file starts is `keyfob agent`.
    package static func isOwn(_ content: [UInt8]) -> Bool {
        let lines = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline)
        let commands = lines.filter { $0.hasPrefix("Exec=") }.map { $0.dropFirst("Exec=".count).split(separator: " ") }
        return commands.count == 1 && commands[0].count > 1 && commands[0][1] == "agent"
            && (commands[0][0].split(separator: "/").last ?? "") == "keyfob"
    }
}
