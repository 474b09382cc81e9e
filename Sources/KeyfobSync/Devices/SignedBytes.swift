package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// The kind of ids that name a sync.
package enum SyncKind {}
/// What names a sync: random, and in every signature.
package typealias SyncID = OpaqueID<SyncKind>

/// Bytes and a signature of them.
package struct SignedBytes: Hashable, Sendable {
    /// What is signed.
    package let body: [UInt8]
    /// The signature: 64 bytes.
    package let signature: [UInt8]

    /// What a signature is of; one of a kind never passes for one of another.
    package enum Kind: String, Sendable {
        /// That a device wants to be let in.
        case request
        /// What a device has come to.
        case head
        /// That a device may take part, or may no more.
        case statement
        /// An access token that a device has got for others too.
        case token
    }

    /// Bytes with their signature.
    package init(body: [UInt8], signature: [UInt8]) {
        (self.body, self.signature) = (body, signature)
    }

    static func message(_ body: [UInt8], _ kind: Kind, _ sync: SyncID?) -> [UInt8] {
        Array("keyfob sync \(kind.rawValue) v1\u{0}".utf8) + (sync?.bytes ?? [UInt8](repeating: 0, count: 16)) + body
    }

    /// Whether `device` has signed it.
    package func isSigned(by device: SyncDevice, as kind: Kind, in sync: SyncID?) -> Bool {
        Ed25519.isValid(signature, of: Self.message(body, kind, sync), publicKey: device.signing)
    }

    /// 1 body, 2 signature.
    package var list: FieldList {
        var list = FieldList()
        list.append(1, body)
        list.append(2, signature)
        return list
    }

    /// What ``list`` gave.
    package init(_ list: FieldList) throws(FieldList.Malformed) {
        guard let body = list.bytes(1), let signature = list.bytes(2), signature.count == Ed25519.signatureCount else {
            throw FieldList.Malformed()
        }
        self.init(body: Array(body), signature: Array(signature))
    }
}
