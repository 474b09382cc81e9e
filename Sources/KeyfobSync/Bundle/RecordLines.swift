package import KeyfobModel
package import KeyfobSodium

/// Makes the line of a record, or finds out that it can have none.
package struct RecordLines {
    private let rules: RecordRules
    private let limits: BundleLimits

    /// The lines of a bundle that begins so.
    package init(_ manifest: BundleManifest, _ limits: BundleLimits = BundleLimits()) {
        rules = RecordRules(manifest)
        self.limits = limits
    }

    /// The length of the line of a record without a secret, which can be written.
    ///
    /// - Throws: What is wrong with the record.
    package func count(_ record: ItemRecord) throws(BundleError) -> Int { try line(record, 0).count + 1 }

    /// The same of a record and its secret.
    package func count(_ record: ItemRecord, secret: borrowing SecretBytes) throws(BundleError) -> Int {
        try rules.check(record, hasSecret: true, line: 0)
        let count = SecretLine.count(record.openLine.bytes, then: secret)
        guard count - 1 <= limits.line else { throw .limitExceeded(.line(limits.line, number: 0)) }
        return count
    }

    /// The line without its end.
    func line(_ record: ItemRecord, _ number: Int) throws(BundleError) -> [UInt8] {
        try rules.check(record, hasSecret: false, line: number)
        var writer = record.openLine
        writer.endObject()
        guard writer.bytes.count <= limits.line else { throw .limitExceeded(.line(limits.line, number: number)) }
        return writer.bytes
    }

    /// The line with its end.
    func line(_ record: ItemRecord, secret: borrowing SecretBytes, _ number: Int) throws(BundleError) -> SecretBytes {
        try rules.check(record, hasSecret: true, line: number)
        let line = SecretLine.line(record.openLine.bytes, then: secret)
        guard line.count - 1 <= limits.line else { throw .limitExceeded(.line(limits.line, number: number)) }
        return line
    }
}
