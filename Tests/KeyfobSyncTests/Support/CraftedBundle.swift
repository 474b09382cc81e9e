import KeyfobAge
import KeyfobSodium
import KeyfobTestSupport

/// The lines of a bundle as text, so that they can be wrong in one place and right in all others.
struct CraftedBundle {
    static let manifest = #"""
        {"formatVersion":1,"minorVersion":0,"purpose":"backup","vault":"000102030405060708090a0b0c0d0e0f",\#
        "device":"0000000000000001","created":"2026-11-21T10:15:00.000Z","groups":["default"],\#
        "counts":{"setting":1}}
        """#
    static let stamps = #""stamps":{"record":"000001a1b2c3d4e5.0000000000000001"}"#
    static let setting = #"{"kind":"setting","group":"default","setting":{"name":"a","value":"b"},\#(stamps)}"#

    var lines: [String]
    /// The last line; the right one where there is none.
    var end: String?
    /// What follows the last line: its line feed.
    var tail = "\n"

    init(manifest: String = manifest, _ records: String...) {
        lines = [manifest] + records
    }

    /// How many records there are and the digest of the lines, as the last line should have them.
    var rightEnd: String {
        var digest = [UInt8](repeating: 0, count: 32)
        for line in lines { digest = BLAKE2b.hash(digest + BLAKE2b.hash(Array(line.utf8), count: 32), count: 32) }
        return #"{"end":{"records":\#(lines.count - 1),"digest":"\#(hexadecimal(digest))"}}"#
    }

    var plaintext: [UInt8] {
        Array((lines + [end ?? rightEnd]).joined(separator: "\n").utf8) + Array(tail.utf8)
    }

    /// The file, for the identity of ``BundleSample``.
    func file() throws -> [UInt8] {
        try plaintext.withBytes { try Age.seal($0, to: [BundleSample.identity().recipient]) }
    }
}
