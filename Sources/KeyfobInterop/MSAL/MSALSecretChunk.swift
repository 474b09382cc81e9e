internal import KeyfobModel
internal import KeyfobSodium

/// A piece of a cache that ends with a secret, in guarded memory.
enum MSALSecretChunk {
    /// How the secret is written.
    enum Form {
        /// As a JSON string.
        case text
        /// As it is.
        case json
    }

    static func chunk(_ start: [UInt8], then secret: borrowing SecretBytes, as form: Form) -> SecretBytes {
        secret.withBytes { bytes in
            switch form {
            case .json:
                SecretBytes(count: start.count + bytes.byteCount, placement: .recycled) { output in
                    output.copy(from: RawSpan(_elements: start.span))
                    output.copy(from: bytes, at: start.count)
                }
            case .text: quoted(start, bytes)
            }
        }
    }

    private static func quoted(_ start: [UInt8], _ secret: RawSpan) -> SecretBytes {
        let escapedCount = JSONEscape.count(of: secret)
        let count = start.count + escapedCount + 2
        return SecretBytes(count: count, placement: .recycled) { output in
            output.copy(from: RawSpan(_elements: start.span))
            output.storeBytes(of: UInt8(ascii: "\""), toByteOffset: start.count, as: UInt8.self)
            output.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count - 1, as: UInt8.self)
            if escapedCount == secret.byteCount { return output.copy(from: secret, at: start.count + 1) }
            JSONEscape.write(secret, into: &output, at: start.count + 1)
        }
    }
}
