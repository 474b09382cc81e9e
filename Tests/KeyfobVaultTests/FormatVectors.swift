import Foundation
import KeyfobTestSupport

/// The published vectors of the vault's format, `Tests/Vectors/Vault/v3`.
///
/// Every key in them is a test key.
enum FormatVectors {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors/Vault/v3")

    /// What becomes of the bytes.
    enum Outcome: String, Codable, Sendable {
        case opened, wrongKey, corrupted, unsupported
    }

    /// Bytes that a file spells in hexadecimal digits.
    struct Hex: Codable, Equatable, Sendable {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        init(from decoder: any Decoder) throws {
            bytes = KeyfobTestSupport.bytes(try decoder.singleValueContainer().decode(String.self))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(hexadecimal(bytes))
        }
    }

    struct File<Vector: Codable & Sendable>: Codable, Sendable {
        let about: String
        let vectors: [Vector]
    }

    struct Header: Codable, Sendable {
        let name: String
        let keyFile: Hex
        let header: Hex
        let expect: Outcome
        var vault: Hex?
        var sequence: UInt64?
        var groups: [String]?
    }

    struct Slot: Codable, Sendable {
        let name: String
        let vault: Hex
        let slot: Hex
        var keyFile: Hex?
        var passphrase: String?
        var identity: String?
        var secretService: Hex?
        let expect: Outcome
        var key: Hex?
    }

    struct GroupKey: Codable, Sendable {
        let name: String
        let vaultKey: Hex
        let vault: Hex
        let group: Hex
        let epoch: UInt32
        let wrappedKey: Hex
        let sealedName: Hex
        let expect: Outcome
        var groupKey: Hex?
        var groupName: String?
    }

    struct Record: Codable, Sendable {
        let name: String
        let groupKey: Hex
        let vault: Hex
        let group: Hex
        let epoch: UInt32
        let record: Hex
        let kind: UInt8
        let flags: UInt16
        let stamp: UInt64
        let device: UInt64
        var accountIndex: Hex?
        var credentialIndex: Hex?
        var usernameIndex: Hex?
        var labelIndex: Hex?
        let attributes: Hex
        var secret: Hex?
        let expect: Outcome
        var body: Hex?
        var secretText: String?
        var manifestHash: Hex?
    }

    struct BlindIndex: Codable, Sendable {
        let name: String
        let groupKey: Hex
        let field: String
        let parts: [String]
        let value: Hex
    }

    /// A decision: the body of a setting, and what the holder of a vault key says of it.
    struct Decision: Codable, Sendable {
        let name: String
        let vaultKey: Hex
        let vault: Hex
        let group: Hex
        let setting: String
        let value: String
        let body: Hex
        /// Whether it is the owner's.
        let isOwners: Bool
    }

    struct Manifest: Codable, Sendable {
        let name: String
        let groupKey: Hex
        let vault: Hex
        let group: Hex
        let epoch: UInt32
        let sealed: Hex
        let expect: Outcome
        var manifest: Hex?
    }

    /// A group's lookup tree: its entries, its nodes by their positions, and what the manifest has of its top.
    struct Tree: Codable, Sendable {
        struct Node: Codable, Sendable {
            let position: UInt64
            let bytes: Hex
        }

        let name: String
        let groupKey: Hex
        let entries: [Hex]
        let nodes: [Node]
        let root: Hex
    }

    struct Usage: Codable, Sendable {
        let name: String
        let groupKey: Hex
        let vault: Hex
        let group: Hex
        let epoch: UInt32
        let first: UInt64
        let sealed: Hex
        let expect: Outcome
        var events: Hex?
        var tagParts: [String]?
        var tag: Hex?
    }

    static func read<Vector>(_ name: String, of type: Vector.Type = Vector.self) throws -> [Vector]
    where Vector: Codable & Sendable {
        let data = try Data(contentsOf: folder.appending(path: name + ".json"))
        return try JSONDecoder().decode(File<Vector>.self, from: data).vectors
    }

    static func write<Vector>(_ name: String, _ about: String, _ vectors: [Vector]) throws
    where Vector: Codable & Sendable {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = try encoder.encode(File(about: about, vectors: vectors)) + Data("\n".utf8)
        try data.write(to: folder.appending(path: name + ".json"))
    }
}
