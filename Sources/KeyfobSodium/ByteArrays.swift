// The same calls for messages that lie in arrays, because they are no secrets.

extension BLAKE2b {
    /// The hash of `message`, `count` bytes (16 to 64) long.
    package static func hash(_ message: [UInt8], count: Int) -> [UInt8] {
        message.withBytes { hash($0, count: count) }
    }

    /// The keyed hash of `message` under `key` (16 to 64 bytes), `count` bytes (16 to 64) long.
    package static func mac(_ message: [UInt8], key: RawSpan, count: Int) -> [UInt8] {
        message.withBytes { mac($0, key: key, count: count) }
    }
}

extension CommittingAEAD {
    /// Seals `message` under `key` (32 bytes), bound to `context`.
    package static func seal(_ message: [UInt8], key: RawSpan, context: [UInt8]) -> Box {
        message.withBytes { seal($0, key: key, context: context) }
    }
}

extension ConstantTime {
    /// Whether both hold the same bytes; the lengths are not secret.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withBytes { mine in right.withBytes { areEqual(mine, $0) } }
    }
}

extension Ed25519 {
    /// Whether a signature is the one of a message under a public key; false for one of another length.
    package static func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        message.withBytes { isValid(signature, of: $0, publicKey: publicKey) }
    }
}

extension Padding {
    /// How many bytes of `message` precede the padding.
    ///
    /// - Throws: `invalidParameters` when there is no well-formed padding.
    package static func unpaddedCount(_ message: [UInt8]) throws(SodiumError) -> Int {
        try message.withBytes { (bytes) throws(SodiumError) in try unpaddedCount(bytes) }
    }
}
