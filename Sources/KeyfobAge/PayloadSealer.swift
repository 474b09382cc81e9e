internal import KeyfobSodium

/// Cuts a plaintext into chunks and seals them, holding at most one.
///
/// A full chunk waits for one more byte: only then it is known not to be the last.
struct PayloadSealer: ~Copyable {
    private let key: PayloadKey
    private var chunk = SecretBuffer(capacity: PayloadKey.chunkCount)
    private var position = PayloadKey.Position()

    init(key: consuming PayloadKey) {
        self.key = key
    }

    /// Takes more plaintext; appends the chunks that are complete with it.
    mutating func update(_ plaintext: RawSpan, into output: inout [UInt8]) {
        var start = 0
        while start < plaintext.byteCount {
            if chunk.count == chunk.capacity {
                seal(into: &output)
                position.number += 1
                chunk.removeAll()
            }
            let end = min(plaintext.byteCount, start + chunk.capacity - chunk.count)
            chunk.append(plaintext.extracting(start..<end))
            start = end
        }
    }

    /// Appends the final chunk, which is empty only where the whole plaintext is.
    consuming func finish(into output: inout [UInt8]) {
        position.isFinal = true
        seal(into: &output)
    }

    private func seal(into output: inout [UInt8]) {
        output += chunk.withBytes { key.seal($0, at: position) }
    }
}
