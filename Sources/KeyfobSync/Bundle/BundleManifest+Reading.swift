internal import KeyfobModel
internal import KeyfobSodium

extension BundleManifest {
    /// The manifest that the first line is.
    ///
    /// - Throws: `noManifest` where it is something else, `newerVersion`, and what is wrong with a field.
    init(reading bytes: RawSpan, limits: BundleLimits) throws(BundleError) {
        let line = 1
        let tape: JSONTape
        do {
            tape = try JSONTape(reading: bytes, limits: limits.json)
        } catch .malformed {
            throw .noManifest
        } catch {
            throw BundleError(error, line: line)
        }
        guard tape.kind(of: tape.root) == .object else { throw .noManifest }
        var object = try LineObject(tape, line: line, bytes)
        guard let version = object.take(.formatVersion) else { throw .noManifest }
        let major: Int = try object.number(version, .formatVersion, bytes)
        let minor: Int = try object.number(.minorVersion, bytes)
        guard major > 0, minor >= 0 else { throw .badField(line: line, .formatVersion) }
        guard major <= Self.formatVersion else { throw .newerVersion(major: major, minor: minor) }

        guard let purpose = BundlePurpose(rawValue: try object.text(.purpose, bytes)) else {
            throw minor > Self.minorVersion
                ? .newerVersion(major: major, minor: minor) : .badField(line: line, .purpose)
        }
        guard let vault = Hexadecimal.bytes(try object.text(.vault, bytes)), vault.count == 16 else {
            throw .badField(line: line, .vault)
        }
        var header: [UInt8]?
        if let text = try object.optionalText(.header, bytes) {
            header = Base64.standard.decode(Array(text.utf8))
            guard let count = header?.count, count <= Self.maximumHeaderCount, purpose == .backup else {
                throw .badField(line: line, .header)
            }
        }
        guard let device = UInt64(hexadecimal: try object.text(.device, bytes)) else {
            throw .badField(line: line, .device)
        }
        guard let created = BundleTime.milliseconds(try object.text(.created, bytes)) else {
            throw .badField(line: line, .created)
        }
        var groups: Set<AccessGroup> = []
        for name in try object.texts(.groups, bytes) {
            guard let group = try? AccessGroup(name), groups.insert(group).inserted else {
                throw .badField(line: line, .groups)
            }
        }
        var counts: [RecordKind: Int] = [:]
        for (name, value) in try object.object(.counts, bytes).rest {
            let count: Int = try object.number(value, .counts, bytes)
            guard count >= 0 else { throw .badField(line: line, .counts) }
            guard let kind = RecordKind(rawValue: name) else {
                throw minor > Self.minorVersion
                    ? .newerVersion(major: major, minor: minor) : .badField(line: line, .counts)
            }
            counts[kind] = count
        }
        guard counts.values.allSatisfy({ $0 <= limits.records }), counts.values.reduce(0, +) <= limits.records else {
            throw .limitExceeded(.records(limits.records))
        }
        var digestKey: [UInt8]?
        if let text = try object.optionalText(.digestKey, bytes) {
            digestKey = Hexadecimal.bytes(text)
            guard digestKey?.count == GroupDigest.keyCount, purpose == .sync else {
                throw .badField(line: line, .digestKey)
            }
        }
        self.init(
            purpose: purpose, vault: vault, header: header, device: device, created: created, groups: Array(groups),
            counts: counts, digestKey: digestKey,
            unknownFields: object.unknownFields(bytes))
        self.minorVersion = minor
    }
}
