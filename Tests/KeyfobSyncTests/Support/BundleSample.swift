import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport

/// A record, and the bytes of its secret in ordinary memory.
struct Bundled: Hashable {
    var record: ItemRecord
    var secret: [UInt8]?

    init(_ record: ItemRecord, secret: [UInt8]? = nil) {
        self.record = record
        self.secret = secret
    }

    init(_ content: ItemContent, secret: String? = nil) {
        self.init(Sample.record(content), secret: secret.map { Array($0.utf8) })
    }
}

extension [Bundled] {
    /// The same in the order that a bundle has.
    var inOrder: [Bundled] {
        sorted { left, right in
            let (mine, theirs) = (ItemMark(left.record.key), ItemMark(right.record.key))
            return left.record.group == right.record.group ? mine < theirs : left.record.group < right.record.group
        }
    }
}

/// Bundles for one identity.
enum BundleSample {
    static let passphrase = "correct horse"

    static func identity(_ byte: UInt8 = 0x42) -> AgeIdentity {
        guard let identity = AgeIdentity(secret: secret([UInt8](repeating: byte, count: 32))) else {
            fatalError("a scalar has 32 bytes")
        }
        return identity
    }

    static func key() -> BundleKey { .identity(identity()) }

    static func manifest(
        _ purpose: BundlePurpose = .backup, counts: [BundleManifest.RecordKind: Int], groups: [AccessGroup] = [.default]
    ) -> BundleManifest {
        BundleManifest(
            purpose: purpose, vault: Array(0..<16), device: 0xFEDC_BA98_7654_3210, created: 1_795_000_000_123,
            groups: groups, counts: counts)
    }

    static func counts(_ items: [Bundled]) -> [BundleManifest.RecordKind: Int] {
        items.reduce(into: [:]) { $0[$1.record.kind, default: 0] += 1 }
    }

    /// The file with these records.
    static func file(
        _ items: [Bundled], purpose: BundlePurpose = .backup, encoding: Age.Encoding = .binary,
        groups: [AccessGroup] = [.default]
    ) throws -> [UInt8] {
        let manifest = manifest(purpose, counts: counts(items), groups: groups)
        let writer = try BundleWriter(manifest, recipients: [identity().recipient], encoding: encoding)
        return try file(items.inOrder, writer)
    }

    /// What a writer makes of these records.
    static func file(_ items: [Bundled], _ writer: consuming BundleWriter) throws -> [UInt8] {
        var file: [UInt8] = []
        for item in items {
            if let bytes = item.secret {
                try writer.write(item.record, secret: secret(bytes)) { file.append(contentsOf: $0) }
            } else {
                try writer.write(item.record) { file.append(contentsOf: $0) }
            }
        }
        _ = try writer.finish { file.append(contentsOf: $0) }
        return file
    }

    /// The records of a file, once it is verified.
    static func items(_ file: [UInt8], pieces: Int = 65_536) throws -> [Bundled] {
        let key = key()
        let bundle = try BundleReader.verify(key, for: Set(BundlePurpose.allCases), from: Pieces(file, pieces).next)
        var items: [Bundled] = []
        try BundleReader.read(bundle, key, from: Pieces(file, pieces).next) { record, secret in
            var item = Bundled(record)
            if let secret { item.secret = contents(of: secret) }
            items.append(item)
        }
        return items
    }

    /// What is wrong with a file; nil for one that is right.
    static func flaw(
        _ file: [UInt8], for purposes: Set<BundlePurpose> = Set(BundlePurpose.allCases), pieces: Int = 65_536,
        limits: BundleLimits = BundleLimits()
    ) -> BundleError? {
        failure(of: BundleError.self) {
            _ = try BundleReader.verify(key(), for: purposes, limits: limits, from: Pieces(file, pieces).next)
        }
    }
}

/// Gives a file piece by piece.
final class Pieces {
    private var rest: ArraySlice<UInt8>
    private let size: Int

    init(_ file: [UInt8], _ size: Int = 65_536) {
        rest = file[...]
        self.size = size
    }

    func next() -> [UInt8] {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
    }
}
