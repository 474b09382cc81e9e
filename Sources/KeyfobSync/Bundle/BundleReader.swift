internal import KeyfobAge
package import KeyfobModel
package import KeyfobSodium

/// Reads bundles: first once to verify all of it, then again for its records.
///
/// A bundle is read in constant memory from a closure that gives the next piece of the file each time, and an empty
/// one at its end; whoever has a pipe must keep the ciphertext for the second time. The type of what ``verify``
/// returns is the only way to the records, so that none is ever handed out of a file that is wrong further on.
package enum BundleReader {
    /// A bundle that was read to its end and found right.
    package struct Verified: Hashable, Sendable {
        /// Its first line.
        package let manifest: BundleManifest
        /// The digest in its last line.
        package let digest: [UInt8]
        /// The MAC of the digest in its last line, which nobody has checked yet; only in a backup.
        package let mac: [UInt8]?
        /// The limits it was read with.
        fileprivate let limits: BundleLimits
    }

    /// Reads a bundle to its end and checks everything that can be checked.
    ///
    /// With a passphrase, takes the time and memory of the work factor: at most four seconds or so, and 1 GiB.
    ///
    /// - Parameters:
    ///   - key: What opens it.
    ///   - purposes: What it may be for.
    ///   - limits: How much it may ask.
    ///   - source: Gives the next piece of the file, empty at its end.
    /// - Throws: `BundleError`, and what `source` throws.
    package static func verify(
        _ key: borrowing BundleKey, for purposes: Set<BundlePurpose>, limits: BundleLimits = BundleLimits(),
        from source: () throws -> [UInt8]
    ) throws -> Verified {
        var fileKey: SecretBytes?
        return try verify(key, for: purposes, limits: limits, keeping: &fileKey, from: source)
    }

    /// The same; `fileKey` becomes the file's own key, so that a passphrase need not be worked on twice.
    package static func verify(
        _ key: borrowing BundleKey, for purposes: Set<BundlePurpose>, limits: BundleLimits = BundleLimits(),
        keeping fileKey: inout SecretBytes?, from source: () throws -> [UInt8]
    ) throws -> Verified {
        try read(key, purposes, limits, &fileKey, from: source) { _, _ in }
    }

    /// Reads a bundle that was verified a second time, and calls `body` with each record and its secret.
    ///
    /// - Throws: `changedSinceVerified` at the end where it is another bundle that is just as right: what was done
    ///   with its records must be undone then; else as ``verify(_:for:limits:from:)``, and what `body` throws.
    package static func read(
        _ bundle: Verified, _ key: borrowing BundleKey, from source: () throws -> [UInt8],
        _ body: (ItemRecord, consuming SecretBytes?) throws -> Void
    ) throws {
        var fileKey: SecretBytes?
        let again = try read(key, [bundle.manifest.purpose], bundle.limits, &fileKey, from: source, body)
        guard again == bundle else { throw BundleError.changedSinceVerified }
    }

    private static func read(
        _ key: borrowing BundleKey, _ purposes: Set<BundlePurpose>, _ limits: BundleLimits,
        _ fileKey: inout SecretBytes?, from source: () throws -> [UInt8],
        _ body: (ItemRecord, consuming SecretBytes?) throws -> Void
    ) throws -> Verified {
        var decryptor = key.decryptor()
        var parser = BundleParser(purposes: purposes, limits: limits)
        var failure: (any Error)?
        var size = 0

        /// Lends plaintext to the parser; what it throws waits, because age passes on only errors of its own.
        func take(_ plaintext: RawSpan) throws(AgeError) {
            do {
                try parser.update(plaintext, body)
            } catch {
                failure = error
                throw .stopped
            }
        }

        do {
            while true {
                let piece = try source()
                guard !piece.isEmpty else { break }
                size += piece.count
                guard size <= limits.size else { throw BundleError.limitExceeded(.fileSize(limits.size)) }
                try piece.withBytes { (bytes) throws(AgeError) in try decryptor.update(bytes, take) }
            }
            fileKey = decryptor.fileKey()
            try decryptor.finish(take)
        } catch let error as AgeError {
            throw failure ?? BundleError(error, isPassphrase: key.isPassphrase)
        }
        let digest = try parser.finish()
        guard let manifest = parser.manifest else { throw BundleError.noManifest }
        return Verified(manifest: manifest, digest: digest, mac: parser.mac, limits: limits)
    }
}
