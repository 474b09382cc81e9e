package import KeyfobModel

/// In which item of the Secret Service the header of a vault was found last, so that nobody has to search for it.
///
/// One text file in the folder for state, `VAULT.item`, with the line `SEQUENCE PATH`: the header's sequence, and the D-Bus
/// path of the item. It is where to look first: what the item says of itself decides whether it is the header, and one that
/// has fallen behind is searched for as if nothing were known.
package struct HeaderItemNote: Sendable {
    private let path: String
    private let folder: String

    private static let limit = 4_096

    /// The note on `vault` in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String, vault: VaultID) {
        folder = state
        path = "\(state)/\(vault).item"
    }

    /// The item's path, and the sequence of the header in it; nil where none is known.
    package var place: (item: String, sequence: UInt64)? {
        guard let bytes = (try? POSIXFile.read(path, limit: Self.limit)) ?? nil, bytes.last == UInt8(ascii: "\n"),
            let blank = bytes.firstIndex(of: UInt8(ascii: " ")),
            let sequence = UInt64(String(decoding: bytes[..<blank], as: UTF8.self))
        else { return nil }
        let item = String(decoding: bytes[(blank + 1)...].dropLast(), as: UTF8.self)
        return item.hasPrefix("/") && item.utf8.allSatisfy { $0 > 0x20 } ? (item, sequence) : nil
    }

    /// Forgets the item: the service has nothing of the vault any more.
    package func forget() { try? POSIXFile.remove(path) }

    /// Takes note of the item; one that cannot be noted is searched for the next time.
    package func keep(_ item: String, sequence: UInt64) {
        if let place, place == (item, sequence) { return }
        let line = "\(sequence) \(item)\n"
        guard line.utf8.count <= Self.limit, (try? POSIXFile.createDirectories(folder)) != nil else { return }
        try? POSIXFile.replace(path, with: Array(line.utf8))
    }
}
