internal import KeyfobModel

/// Goes through the sections of a cache and collects what is in them.
struct MSALCacheReader {
    let tape: JSONTape
    private let limits: MSALLimits
    private var entityCount = 0
    /// The names that come more than once, by their object.
    private let repeatedNames: [JSONTape.Value: [String]]
    private var accountIDs: [String: AccountID] = [:]
    private var texts: Set<String> = []

    var credentials = MSALRoster<MSALCache.StoredCredential>()
    var profiles = MSALRoster<(id: AccountID, profile: TenantProfile)>()
    var appMetadata = MSALRoster<AppMetadata>()
    private var foreign: [MSALForeignNode] = []
    private var skipped: [MSALFinding] = []
    private var remarks: [MSALFinding] = []

    init(tape: JSONTape, limits: MSALLimits, _ bytes: RawSpan) {
        self.tape = tape
        self.limits = limits
        var names: [JSONTape.Value: [String]] = [:]
        for duplicate in tape.duplicates {
            names[duplicate.object, default: []].append(tape.string(of: duplicate.superseded, in: bytes) ?? "")
        }
        self.repeatedNames = names
    }

    mutating func read(_ bytes: RawSpan) throws(MSALCacheError) {
        var isEmpty = true
        var hasSections = false
        for member in tape.members(of: tape.root, includingSuperseded: true) {
            isEmpty = false
            let name = tape.string(of: member.name, in: bytes) ?? ""
            let section = MSALSection(rawValue: name)
            hasSections = hasSections || section != nil
            if member.isSuperseded {
                skip(section?.rawValue ?? "unknown", nil, .repeatedKey)
            } else if let section {
                try read(section, member.value, bytes)
            } else {
                foreign.append(MSALForeignNode(section: nil, key: name, range: tape.range(of: member.value)))
            }
        }
        guard hasSections else { throw .notACache(isEmpty ? .empty : .noSections) }
    }

    private mutating func read(
        _ section: MSALSection, _ value: JSONTape.Value, _ bytes: RawSpan
    ) throws(MSALCacheError) {
        guard tape.kind(of: value) == .object else {
            if tape.kind(of: value) != .null { skip(section.rawValue, nil, .notAnObject) }
            return
        }
        let interpreted = Set(section.interpretedFields)
        var ordinal = 0
        for member in tape.members(of: value, includingSuperseded: true) {
            ordinal += 1
            entityCount += 1
            guard entityCount <= limits.entities else { throw .tooManyEntities(limit: limits.entities) }
            do throws(MSALFinding.Reason) {
                if member.isSuperseded { throw .repeatedKey }
                guard tape.kind(of: member.value) == .object else { throw .notAnObject }
                let entity = MSALEntity(
                    member.value, in: section, ordinal: ordinal, hasSmallKey: hasSmallLetters(member.name, bytes),
                    tape: tape, interpreted: interpreted, bytes)
                if try read(entity, in: section, bytes) {
                    noteRepeatedNames(in: member.value, section, ordinal)
                } else {
                    let key = tape.string(of: member.name, in: bytes) ?? ""
                    foreign.append(
                        MSALForeignNode(section: section, key: key, range: tape.range(of: member.value)))
                }
            } catch {
                skip(section.rawValue, ordinal, error)
            }
        }
    }

    /// Reads an entity; false for one that is to be kept as it is.
    private mutating func read(
        _ entity: MSALEntity, in section: MSALSection, _ bytes: RawSpan
    ) throws(MSALFinding.Reason) -> Bool {
        guard entity.hasAny(of: section.marks) else { return false }
        switch section {
        case .accessToken: return try readAccessToken(entity, bytes)
        case .refreshToken: return try readRefreshToken(entity, bytes)
        case .idToken: return try readIDToken(entity, bytes)
        case .account: try readAccount(entity, bytes)
        case .appMetadata: try readAppMetadata(entity, bytes)
        }
        return true
    }

    /// Everything that was collected.
    func cache() -> MSALCache {
        var cache = MSALCache()
        cache.credentials = credentials.entries.map(\.element)
        cache.appMetadata = appMetadata.entries.map(\.element)
        (cache.accounts, cache.accountsWithoutEntity) = accounts()
        cache.foreign = foreign
        cache.skipped = skipped
        cache.remarks = remarks
        return cache
    }
}

extension MSALCacheReader {
    mutating func skip(_ section: String, _ ordinal: Int?, _ reason: MSALFinding.Reason) {
        skipped.append(MSALFinding(section: section, ordinal: ordinal, reason: reason))
    }

    mutating func skip(_ finding: MSALFinding?) {
        if let finding { skipped.append(finding) }
    }

    mutating func remark(_ section: MSALSection, _ ordinal: Int, _ reason: MSALFinding.Reason) {
        remarks.append(MSALFinding(section: section.rawValue, ordinal: ordinal, reason: reason))
    }

    /// The account that an entity names.
    mutating func accountID(of entity: MSALEntity, _ bytes: RawSpan) throws(MSALFinding.Reason) -> AccountID {
        let home = try entity.identifier(.homeAccountID, tape, bytes)
        let environment = try entity.identifier(.environment, tape, bytes)
        let both = home + "\u{0}" + environment
        if let known = accountIDs[both] { return known }
        guard let id = AccountID(homeAccountID: home, environment: shared(environment)) else {
            throw .missing(.homeAccountID)
        }
        accountIDs[both] = id
        return id
    }

    /// `text` in the one copy that all entities share.
    mutating func shared(_ text: String) -> String {
        texts.insert(text).memberAfterInsert
    }

    private mutating func noteRepeatedNames(
        in object: JSONTape.Value, _ section: MSALSection, _ ordinal: Int
    ) {
        for name in repeatedNames[object] ?? [] {
            let isHarmless =
                name.utf8.count <= 40
                && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0 | 0x20) }
            remark(section, ordinal, .repeatedField(isHarmless ? name : nil))
        }
    }

    private func hasSmallLetters(_ name: JSONTape.Value, _ bytes: RawSpan) -> Bool {
        guard let text = tape.text(of: name) else { return true }
        guard !text.hasEscapes else { return !text.string(in: bytes).utf8.contains { (0x41...0x5A).contains($0) } }
        let octets = Span<UInt8>(_bytes: bytes)
        return text.range.allSatisfy { !(0x41...0x5A).contains(octets[$0]) }
    }
}
