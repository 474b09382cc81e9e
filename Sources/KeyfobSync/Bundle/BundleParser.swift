internal import KeyfobModel
internal import KeyfobSodium

/// Takes the plaintext of a bundle in pieces and makes records of its lines, of which it holds one.
struct BundleParser: ~Copyable {
    private enum Expectation {
        case manifest, recordOrEnd, nothing
    }

    private let limits: BundleLimits
    private let purposes: Set<BundlePurpose>
    private var expectation = Expectation.manifest
    private var line: SecretBuffer
    /// How many lines are behind.
    private var lineCount = 0
    private var chain = LineChain()
    private var seen: RecordOrder
    private(set) var manifest: BundleManifest?
    /// What the manifest demands of each record.
    private var rules: RecordRules?
    /// The MAC of the digest, where the last line has one.
    private(set) var mac: [UInt8]?

    init(purposes: Set<BundlePurpose>, limits: BundleLimits) {
        self.limits = limits
        self.purposes = purposes
        self.seen = RecordOrder(limit: limits.records)
        self.line = SecretBuffer(capacity: min(limits.line, 65_536))
    }

    /// Takes more; calls `body` with each record that it completes.
    ///
    /// - Throws: `BundleError`, and what `body` throws.
    mutating func update(_ plaintext: RawSpan, _ body: (ItemRecord, consuming SecretBytes?) throws -> Void) throws {
        var start = 0
        while start < plaintext.byteCount {
            guard expectation != .nothing else { throw BundleError.dataBehindEnd(line: lineCount + 1) }
            let room = limits.line - line.count
            let stop = min(plaintext.byteCount, start + room + 1)
            let end = plaintext.firstIndex(of: UInt8(ascii: "\n"), in: start..<stop) ?? stop
            guard end - start <= room else {
                throw BundleError.limitExceeded(.line(limits.line, number: lineCount + 1))
            }
            append(plaintext.extracting(start..<end))
            guard end < plaintext.byteCount else { return }
            try takeLine(body)
            start = end + 1
        }
    }

    /// Says that the plaintext is at its end.
    ///
    /// - Returns: The digest in the last line.
    /// - Throws: `noEnd`.
    func finish() throws(BundleError) -> [UInt8] {
        guard expectation == .nothing else { throw manifest == nil ? .noManifest : .noEnd }
        return chain.digest
    }

    private mutating func append(_ bytes: RawSpan) {
        if bytes.byteCount > line.capacity - line.count {
            var larger = SecretBuffer(capacity: min(limits.line, max(2 * line.capacity, line.count + bytes.byteCount)))
            line.withBytes { larger.append($0) }
            line = larger
        }
        line.append(bytes)
    }

    private mutating func takeLine(_ body: (ItemRecord, consuming SecretBytes?) throws -> Void) throws {
        lineCount += 1
        switch expectation {
        case .manifest: try takeManifest()
        case .recordOrEnd: try takeRecordOrEnd(body)
        case .nothing: throw BundleError.dataBehindEnd(line: lineCount)
        }
        line.removeAll()
    }

    private mutating func takeManifest() throws(BundleError) {
        let limits = limits
        let (found, isObject) = try line.withBytes { (bytes) throws(BundleError) in
            (try BundleManifest(reading: bytes, limits: limits), Self.isBare(bytes))
        }
        guard isObject else { throw .noManifest }
        guard purposes.contains(found.purpose) else { throw .wrongPurpose(found.purpose) }
        line.withBytes { chain.add($0) }
        manifest = found
        rules = RecordRules(found)
        expectation = .recordOrEnd
    }

    private mutating func takeRecordOrEnd(_ body: (ItemRecord, consuming SecretBytes?) throws -> Void) throws {
        guard let manifest, let rules else { throw BundleError.noManifest }
        let (number, limits) = (lineCount, limits)
        let reader = RecordReader(
            line: number,
            newerMinor: manifest.minorVersion > BundleManifest.minorVersion ? manifest.minorVersion : nil)
        var found: ItemRecord?
        var secret: SecretBytes?
        var mac: [UInt8]?
        try line.withBytes { (bytes) throws(BundleError) in
            let tape = try Self.tape(bytes, limits, line: number)
            var object = try LineObject(tape, line: number, bytes)
            if var end = try object.optionalObject(.end, bytes) {
                mac = try checkEnd(&end, bytes)
                return
            }
            secret = try reader.secret(&object, tape, bytes)
            var record = try reader.record(&object, bytes)
            let unknown = object.unknownFields(bytes)
            if !unknown.isEmpty { record.history.unknownFields.objects[""] = unknown }
            found = record
        }
        guard let record = found else {
            expectation = .nothing
            self.mac = mac
            return
        }
        let hasSecret = secret != nil
        try rules.check(record, hasSecret: hasSecret, line: number)
        try seen.take(record, line: number)
        line.withBytes { chain.add($0) }
        try body(record, secret.take())
    }

    /// Compares the last line with what came before.
    ///
    /// - Returns: The MAC in it.
    private func checkEnd(_ end: inout LineObject, _ bytes: RawSpan) throws(BundleError) -> [UInt8]? {
        let records: Int = try end.number(.records, bytes)
        guard let digest = Hexadecimal.bytes(try end.text(.digest, bytes)), digest.count == 32 else {
            throw .badField(line: lineCount, .digest)
        }
        guard records == seen.count, seen.counts == manifest?.counts else { throw .wrongCounts }
        guard digest == chain.digest else { throw .wrongDigest }
        guard let text = try end.optionalText(.mac, bytes) else { return nil }
        guard let mac = Hexadecimal.bytes(text), mac.count == 32, manifest?.purpose == .backup else {
            throw .badField(line: lineCount, .mac)
        }
        return mac
    }

    private static func tape(_ bytes: RawSpan, _ limits: BundleLimits, line: Int) throws(BundleError) -> JSONTape {
        guard isBare(bytes) else { throw .notJSON(line: line, nil) }
        do {
            return try JSONTape(reading: bytes, limits: limits.json)
        } catch {
            throw BundleError(error, line: line)
        }
    }

    /// Whether a line begins and ends with the braces of its object.
    private static func isBare(_ bytes: RawSpan) -> Bool {
        bytes.byteCount >= 2 && bytes.byte(at: 0) == UInt8(ascii: "{")
            && bytes.byte(at: bytes.byteCount - 1) == UInt8(ascii: "}")
    }
}
