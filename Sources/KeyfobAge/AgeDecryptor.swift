package import KeyfobSodium

/// Reads one age file while it arrives, in constant memory.
///
/// Plaintext is lent chunk by chunk, after the chunk is authenticated, and wiped after the closure returns.
///
/// > Important: the file is accepted only when ``finish(_:)`` returns. Before that it may be cut short or go on
/// > wrongly; what was lent is authentic, but perhaps not all.
package struct AgeDecryptor: ~Copyable {
    private var binary: BinaryDecryptor
    private var encoding: Age.Encoding?
    private var armor = ArmorDecoder()
    /// The first error; nothing is accepted after it.
    private var failure: AgeError?

    /// Begins to read a file for one identity, of which a copy is kept until the header is read.
    ///
    /// The first byte tells the encoding where `encoding` does not: an armor starts with a dash or with whitespace.
    package init(identity: borrowing AgeIdentity, encoding: Age.Encoding? = nil) {
        self.init(key: .identities(AgeIdentityFile(identity)), encoding: encoding)
    }

    /// Begins to read a file for the first of several identities that matches.
    package init(identities: borrowing AgeIdentityFile, encoding: Age.Encoding? = nil) {
        self.init(key: .identities(AgeIdentityFile(copying: identities)), encoding: encoding)
    }

    /// Begins to read a file for a passphrase, of which a copy is kept until the header is read.
    ///
    /// The update that completes the header takes the time and memory of the work factor: at most four seconds
    /// or so, and 1 GiB.
    package init(passphrase: borrowing SecretBytes, encoding: Age.Encoding? = nil) {
        self.init(key: .passphrase(passphrase.withBytes { SecretBytes(copying: $0) }), encoding: encoding)
    }

    /// Begins to read a file again whose ``fileKey`` is known: another file does not open.
    package init(fileKey: borrowing SecretBytes) {
        self.init(key: .fileKey(fileKey.withBytes { SecretBytes(copying: $0) }), encoding: nil)
    }

    /// A copy of the file's own key, once the header is read; it opens this file alone, without its price.
    package borrowing func fileKey() -> SecretBytes? { binary.copiedFileKey() }

    private init(key: consuming DecryptionKey, encoding: Age.Encoding?) {
        binary = BinaryDecryptor(key: key)
        self.encoding = encoding
    }

    /// Takes more of the file, any number of bytes; lends the plaintext that it completes to `body`.
    ///
    /// - Throws: what is wrong with the file as ``AgeError`` has it, and what `body` throws (`stopped`, where it has
    ///   reasons of its own); the same again from then on.
    package mutating func update(
        _ file: RawSpan, _ body: (RawSpan) throws(AgeError) -> Void
    ) throws(AgeError) {
        if let failure { throw failure }
        do {
            try take(file, body)
        } catch {
            failure = error
            throw error
        }
    }

    /// Says that the file is at its end; lends the plaintext of the final chunk to `body`, and accepts the file by
    /// returning.
    ///
    /// - Throws: as ``update(_:_:)``.
    package consuming func finish(_ body: (RawSpan) throws(AgeError) -> Void) throws(AgeError) {
        if let failure { throw failure }
        if encoding == .armored {
            var armor = armor
            try armor.finish { (bytes: RawSpan) throws(AgeError) in try binary.update(bytes, body) }
        }
        try binary.finish(body)
    }

    private mutating func take(
        _ file: RawSpan, _ body: (RawSpan) throws(AgeError) -> Void
    ) throws(AgeError) {
        guard file.byteCount > 0 else { return }
        let first = file.byte(at: 0)
        let encoding = encoding ?? (first == UInt8(ascii: "-") || Armor.isWhitespace(first) ? .armored : .binary)
        self.encoding = encoding
        switch encoding {
        case .binary:
            try binary.update(file, body)
        case .armored:
            // A copy: the closure has `self` for itself.
            var armor = armor
            try armor.update(file) { (bytes: RawSpan) throws(AgeError) in try binary.update(bytes, body) }
            self.armor = armor
        }
    }
}
