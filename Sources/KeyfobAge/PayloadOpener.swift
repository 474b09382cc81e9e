internal import KeyfobSodium

/// Opens the chunks of a payload, holding at most one; hands out plaintext only after it is authenticated.
struct PayloadOpener: ~Copyable {
    private let key: PayloadKey
    private var chunk: [UInt8] = []
    private var number: UInt64 = 0

    init(key: consuming PayloadKey) {
        self.key = key
        chunk.reserveCapacity(PayloadKey.sealedChunkCount)
    }

    /// Takes more of the payload; calls `body` with the plaintext of each chunk that is not the last.
    ///
    /// - Throws: `damagedPayload`, and what `body` throws.
    mutating func update(
        _ bytes: RawSpan, _ body: (RawSpan) throws(AgeError) -> Void
    ) throws(AgeError) {
        var start = 0
        while start < bytes.byteCount {
            if chunk.count == PayloadKey.sealedChunkCount {
                try openFollowedChunk(body)
                number += 1
                chunk.removeAll(keepingCapacity: true)
            }
            let end = min(bytes.byteCount, start + PayloadKey.sealedChunkCount - chunk.count)
            chunk.append(contentsOf: bytes.extracting(start..<end))
            start = end
        }
    }

    /// Says that the payload is at its end; calls `body` with the plaintext of the final chunk.
    ///
    /// - Throws: `damagedPayload`, and what `body` throws.
    consuming func finish(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        guard !chunk.isEmpty else { throw .damagedPayload(.truncated) }
        guard chunk.count != ChaCha20Poly1305.tagCount || number == 0 else {
            throw .damagedPayload(.emptyFinalChunk)
        }
        if let plaintext = open(isFinal: true) { return try plaintext.withBytes(body) }
        if chunk.count == PayloadKey.sealedChunkCount, let plaintext = open(isFinal: false) {
            try plaintext.withBytes(body)
            throw .damagedPayload(.truncated)
        }
        throw .damagedPayload(.forgedChunk(number))
    }

    /// Opens a full chunk that more bytes follow, so that it must not be the final one.
    private func openFollowedChunk(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        if let plaintext = open(isFinal: false) { return try plaintext.withBytes(body) }
        guard let plaintext = open(isFinal: true) else { throw .damagedPayload(.forgedChunk(number)) }
        try plaintext.withBytes(body)
        throw .damagedPayload(.trailingData)
    }

    private func open(isFinal: Bool) -> SecretBytes? {
        chunk.withBytes { key.open($0, at: PayloadKey.Position(number: number, isFinal: isFinal)) }
    }
}

/// Why a payload was refused (C2SP age, "Payload").
package enum PayloadFlaw: Equatable, Sendable {
    /// The chunk with this number, counted from 0, is not authentic: altered, cut, moved or replaced.
    case forgedChunk(UInt64)
    /// The file ends without a chunk that is marked as the final one.
    case truncated
    /// The final chunk is empty although it is not the only one.
    case emptyFinalChunk
    /// Bytes follow the final chunk.
    case trailingData
}
