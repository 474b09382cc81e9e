internal import KeyfobSodium

/// Reads a file that is not armored: header, nonce, chunks.
struct BinaryDecryptor: ~Copyable {
    /// Wiped as soon as the header is read.
    private var key: DecryptionKey?
    private var header = AgeHeaderParser()
    private var fileKey: SecretBytes?
    private var keptKey: SecretBytes?
    private var nonce: [UInt8] = []
    private var payload: PayloadOpener?

    init(key: consuming DecryptionKey) {
        self.key = consume key
    }

    mutating func update(
        _ bytes: RawSpan, _ body: (RawSpan) throws(AgeError) -> Void
    ) throws(AgeError) {
        var start = 0
        while start < bytes.byteCount && payload == nil {
            try takeBeforePayload(bytes.byte(at: start))
            start += 1
        }
        try payload?.update(bytes.extracting(start..<bytes.byteCount), body)
    }

    consuming func finish(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        guard let payload = payload.take() else {
            throw .malformedHeader(key == nil ? .missingNonce : .truncated)
        }
        try payload.finish(body)
    }

    borrowing func copiedFileKey() -> SecretBytes? { keptKey.copied() }

    private mutating func takeBeforePayload(_ byte: UInt8) throws(AgeError) {
        if key != nil {
            guard let header = try header.take(byte) else { return }
            let unwrapped = try key?.unwrap(header)
            keptKey = unwrapped.copied()
            fileKey = unwrapped
            key = nil
        } else {
            nonce.append(byte)
            guard nonce.count == PayloadKey.nonceCount, let fileKey = fileKey.take() else { return }
            payload = PayloadOpener(key: PayloadKey(fileKey: fileKey, nonce: nonce))
        }
    }
}

extension Optional where Wrapped == SecretBytes {
    fileprivate borrowing func copied() -> SecretBytes? {
        switch self {
        case .some(let bytes): bytes.withBytes { SecretBytes(copying: $0) }
        case nil: nil
        }
    }
}
