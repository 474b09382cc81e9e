internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// What Keyfob, as the identity broker, says of this machine.
package struct DeviceInformation: Equatable, Sendable {
    /// A UUID that stands for this installation of the system, and tells nobody its machine id; nil where it has none.
    package let id: String?
    /// Whether an administrator has said that several people use it.
    package let isShared: Bool

    /// Where an administrator says that the machine is shared: a file of any content.
    package static let sharedMark = "/etc/keyfob/shared-device"
    /// Stands for Keyfob where the machine's id is derived (machine-id(5)).
    package static let application = "5d6fdc4c0d6b4c0d9a3a1f6f0b6e2c71"

    /// Reads what the machine says.
    package init(machineID: String = "/etc/machine-id", sharedMark: String = DeviceInformation.sharedMark) {
        id = Self.id(of: machineID)
        isShared = FileAccess.status(sharedMark, following: true).map { !$0.isDirectory } ?? false
    }

    /// The UUID that `sd_id128_get_machine_app_specific(3)` gives for Keyfob: HMAC-SHA-256 under the machine's id.
    private static func id(of path: String) -> String? {
        guard case .bytes(let content, _) = FileAccess.read(path, limit: 64, following: true) else { return nil }
        let text = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
        guard let machine = text.flatMap(Hexadecimal.bytes), machine.count == 16,
            let application = Hexadecimal.bytes(application)
        else { return nil }
        var bytes = application.withBytes { message in
            machine.withBytes { key in Array(HMACSHA256.mac(message, key: key).prefix(16)) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hexadecimal.text(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
