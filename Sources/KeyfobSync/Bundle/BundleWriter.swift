package import KeyfobAge
package import KeyfobModel
package import KeyfobSodium

/// Writes a bundle record by record, in constant memory.
///
/// Ciphertext goes to the output closure in pieces; the bundle is complete when ``finish(to:)`` returns. A record
/// that is refused leaves no trace in the bundle; after an error of the closure nothing more can be written. A
/// secret goes from its guarded memory into the guarded memory of the cipher.
///
/// Records come in the order of ``ItemMark``, group by group. What is written can be read back within ``BundleLimits``.
package struct BundleWriter: ~Copyable {
    private let lines: RecordLines
    private let stated: [BundleManifest.RecordKind: Int]
    private var encryptor: AgeEncryptor
    private var chain = LineChain()
    private var seen: RecordOrder
    /// What is to go out next, and is ciphertext.
    private var pending: [UInt8]

    /// Begins a bundle that `encryptor`, which has written nothing yet, makes.
    ///
    /// - Throws: `limitExceeded` for a manifest that is too long.
    package init(
        _ manifest: BundleManifest, encryptor: consuming AgeEncryptor, limits: BundleLimits = BundleLimits()
    ) throws(BundleError) {
        let line = manifest.line
        guard line.count <= limits.line else { throw .limitExceeded(.line(limits.line, number: 1)) }
        var encryptor = encryptor
        pending = (line + [UInt8(ascii: "\n")]).withBytes { encryptor.update($0) }
        chain.add(RawSpan(_elements: line.span))
        lines = RecordLines(manifest, limits)
        stated = manifest.counts
        seen = RecordOrder(limit: limits.records)
        self.encryptor = encryptor
    }

    /// Begins a bundle for `recipients`.
    ///
    /// - Throws: as ``init(_:encryptor:limits:)``; `noRecipients`, `limitExceeded` past 64 recipients.
    package init(
        _ manifest: BundleManifest, recipients: [AgeRecipient], encoding: Age.Encoding = .binary
    ) throws(BundleError) {
        let encryptor: AgeEncryptor
        do {
            encryptor = try AgeEncryptor(recipients: recipients, encoding: encoding)
        } catch {
            throw BundleError(error, isPassphrase: false)
        }
        try self.init(manifest, encryptor: encryptor)
    }

    /// Begins a bundle for a passphrase; takes about a second and 256 MiB.
    ///
    /// - Throws: as ``init(_:encryptor:limits:)``; `outOfMemory`.
    package init(
        _ manifest: BundleManifest, passphrase: borrowing SecretBytes, encoding: Age.Encoding = .binary
    ) throws(BundleError) {
        let encryptor: AgeEncryptor
        do {
            encryptor = try AgeEncryptor(passphrase: passphrase, encoding: encoding)
        } catch {
            throw BundleError(error, isPassphrase: true)
        }
        try self.init(manifest, encryptor: encryptor)
    }

    /// Writes a record that has no secret.
    ///
    /// - Throws: `BundleError` for a record that is refused, and what `output` throws.
    package mutating func write(_ record: ItemRecord, to output: (RawSpan) throws -> Void) throws {
        let number = seen.count + 2
        let line = try lines.line(record, number)
        try seen.take(record, line: number)
        chain.add(RawSpan(_elements: line.span))
        pending += (line + [UInt8(ascii: "\n")]).withBytes { encryptor.update($0) }
        try flush(to: output)
    }

    /// Writes a record and its secret.
    ///
    /// - Throws: as ``write(_:to:)``.
    package mutating func write(
        _ record: ItemRecord, secret: borrowing SecretBytes, to output: (RawSpan) throws -> Void
    ) throws {
        let number = seen.count + 2
        let line = try lines.line(record, secret: secret, number)
        try seen.take(record, line: number)
        line.withBytes { bytes in
            chain.add(bytes.extracting(0..<bytes.byteCount - 1))
            pending += encryptor.update(bytes)
        }
        try flush(to: output)
    }

    /// Writes the last line and what is left.
    ///
    /// - Parameter authenticate: Makes the MAC of the digest, 32 bytes, for a backup.
    /// - Returns: The digest of the bundle, as its last line has it.
    /// - Throws: `wrongCounts` when other records were written than the manifest says, and what `output` throws.
    package consuming func finish(
        authenticating authenticate: ([UInt8]) throws -> [UInt8]? = { _ in nil }, to output: (RawSpan) throws -> Void
    ) throws -> [UInt8] {
        guard seen.counts == stated else { throw BundleError.wrongCounts }
        let end = EndLine(records: seen.count, digest: chain.digest, mac: try authenticate(chain.digest))
        pending += end.line(after: chain.length).withBytes { encryptor.update($0) }
        let digest = chain.digest
        let rest = pending + encryptor.finish()
        try rest.withBytes { try output($0) }
        return digest
    }

    private mutating func flush(to output: (RawSpan) throws -> Void) throws {
        guard !pending.isEmpty else { return }
        let piece = pending
        pending.removeAll()
        try piece.withBytes { try output($0) }
    }
}
