package import KeyfobModel

/// When and where the last complete backup of a vault was made, wherever that was.
///
/// One text file in the folder for state, `VAULT.backup`, with the line `SECONDS PATH`. Whoever writes there decides nothing
/// but whether a person is told that a backup is missing or old.
package struct LastBackup: Hashable, Sendable {
    /// When it was made, or last seen to hold what the vault held then.
    package let time: Timestamp
    /// Where it was then.
    package let path: String

    private static let limit = 8_192

    /// A backup.
    package init(time: Timestamp, path: String) {
        self.time = time
        self.path = path
    }

    /// What is known of `vault` in the folder `state` (`$XDG_STATE_HOME/keyfob`); nil where that is nothing.
    package init?(state: String, vault: String) {
        guard let bytes = (try? POSIXFile.read("\(state)/\(vault).backup", limit: Self.limit)) ?? nil,
            bytes.last == UInt8(ascii: "\n"), let blank = bytes.firstIndex(of: UInt8(ascii: " ")),
            let seconds = Int64(String(decoding: bytes[..<blank], as: UTF8.self))
        else { return nil }
        let path = String(decoding: bytes[(blank + 1)...].dropLast(), as: UTF8.self)
        guard !path.isEmpty, path.utf8.allSatisfy({ $0 >= 0x20 }) else { return nil }
        self.init(time: Timestamp(seconds: seconds), path: path)
    }

    /// Takes note of it.
    ///
    /// - Throws: `notWritable`, `diskFull`, `inputOutput`.
    package func keep(state: String, vault: String) throws {
        let line = "\(time.seconds) \(path)\n"
        guard path.utf8.allSatisfy({ $0 >= 0x20 }), line.utf8.count <= Self.limit else { return }
        try POSIXFile.createDirectories(state)
        try POSIXFile.replace("\(state)/\(vault).backup", with: Array(line.utf8))
    }
}
