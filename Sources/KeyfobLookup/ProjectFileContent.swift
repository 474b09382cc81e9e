internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// A project file as it is recognised, whatever it says: nothing is read as TOML here.
package struct ProjectFileContent {
    /// The name that such a file has.
    package static let name = ".keyfob.toml"
    /// The largest file that is read, in bytes.
    package static let maximumCount = 65_536

    package let bytes: [UInt8]
    /// What it is recognised by.
    package var digest: String { Hexadecimal.text(BLAKE2b.hash(bytes, count: 32)) }

    /// Why a file is not even looked at.
    package enum Refusal: Error, Hashable {
        case missing, link, notRegular, tooLarge, foreign, writableByEverybody
        case unreadable(CInt)
    }

    /// The files of that name from a real path upwards; opens nothing.
    package static func paths(from directory: String) -> [String] {
        FileAccess.ancestors(of: directory).map { FileAccess.path($0, name) }
            .filter { FileAccess.status($0, following: false) != nil }
    }

    /// The content of a file that can be trusted to be its owner's.
    package init(_ path: String) throws(Refusal) {
        switch FileAccess.read(path, limit: Self.maximumCount, following: false) {
        case .bytes(let bytes, let status):
            guard status.isTrustworthy else { throw .foreign }
            guard !status.isWritableByEverybody else { throw .writableByEverybody }
            self.bytes = bytes
        case .missing: throw .missing
        case .link: throw .link
        case .notRegular: throw .notRegular
        case .tooLarge: throw .tooLarge
        case .failed(let number): throw .unreadable(number)
        }
    }
}
