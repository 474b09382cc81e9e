package import KeyfobModel
internal import KeyfobSodium

/// Which records tell of an account at a provider, or of a token or a grant with a scope, as long as these are few; and of
/// an account whose user name is an address in a domain, or of some such.
///
/// Sealed in the group's manifest, and changed with it, so that nothing of it shows and nobody else has written it. Of
/// what it names it is complete: that no other account is at a provider can be said without opening any.
package struct Catalogue: Equatable, Sendable {
    /// What a record is found by.
    package struct Trait: Equatable, Sendable {
        fileprivate enum Kind {
            case environment, scope, domain
        }

        fileprivate let kind: Kind
        fileprivate let key: [UInt8]

        /// An account at this provider.
        static func environment(_ name: String) -> Trait {
            Trait(kind: .environment, key: Array(EnvironmentAliases.canonicalName(of: name).utf8))
        }

        /// A token or a grant with this scope: of scopes a hash is enough, since whoever asks knows the scope.
        static func scope(_ scope: String) -> Trait { Trait(kind: .scope, key: hash(Identifier.folded(scope))) }

        /// An account with an address in this domain.
        static func domain(_ domain: String) -> Trait {
            Trait(kind: .domain, key: hash(Identifier.foldedName(domain)))
        }

        private static func hash(_ text: String) -> [UInt8] {
            let hash = Array(text.utf8).withBytes { BLAKE2b.hash($0, count: 16) }
            return Array(hash[..<8])
        }
    }

    /// The records of one trait.
    private struct Entry: Equatable {
        var key: [UInt8]
        /// In their order; nil for more than a few.
        var records: [RecordID]?
    }

    /// How many records are few.
    package static let few = 4
    private static let environmentLimit = 32
    private static let scopeLimit = 96
    private static let many: UInt8 = 255

    /// By key; nil where they were too many.
    private var environments: [Entry]? = []
    private var scopes: [Entry]? = []
    private var domains = CatalogueOfDomains()

    /// That of an empty group.
    init() {}

    /// Notes that a record has these traits.
    mutating func insert(_ traits: [Trait], _ record: RecordID) {
        for trait in traits {
            switch trait.kind {
            case .environment: Self.insert(trait.key, record, &environments, limit: Self.environmentLimit)
            case .scope: Self.insert(trait.key, record, &scopes, limit: Self.scopeLimit)
            case .domain: domains.insert(trait.key, record)
            }
        }
    }

    /// Notes that a record is gone.
    mutating func remove(_ record: RecordID) {
        Self.remove(record, &scopes)
        Self.remove(record, &environments)
        domains.remove(record)
    }

    /// The records of the accounts at the providers that `isWanted` finds; nil where they are more than a few, or nobody
    /// knows.
    package func records(at isWanted: (String) -> Bool) -> [RecordID]? {
        guard let environments else { return nil }
        var found: [RecordID] = []
        for entry in environments where isWanted(String(decoding: entry.key, as: UTF8.self)) {
            guard let records = entry.records else { return nil }
            found += records
        }
        return found
    }

    /// The records of the tokens and grants with a scope; nil where they are more than a few, or nobody knows.
    package func records(with scope: String) -> [RecordID]? {
        guard let scopes else { return nil }
        let key = Trait.scope(scope).key
        guard let entry = scopes.first(where: { $0.key == key }) else { return [] }
        return entry.records
    }

    /// The records of the accounts with an address in a domain, a few of them, and whether these are all; nil where nobody
    /// knows.
    package func records(inDomain domain: String) -> (records: [RecordID], areAll: Bool)? {
        domains.records(Trait.domain(domain).key)
    }

    private static func insert(_ key: [UInt8], _ record: RecordID, _ entries: inout [Entry]?, limit: Int) {
        guard let all = entries else { return }
        let place = all.firstIndex { !$0.key.lexicographicallyPrecedes(key) } ?? all.count
        guard place < all.count, all[place].key == key else {
            if all.count == limit || key.count >= many {
                entries = nil
            } else {
                entries?.insert(Entry(key: key, records: [record]), at: place)
            }
            return
        }
        guard var records = all[place].records, !records.contains(record) else { return }
        records.append(record)
        records.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        entries?[place].records = records.count > few ? nil : records
    }

    private static func remove(_ record: RecordID, _ entries: inout [Entry]?) {
        guard let all = entries, all.contains(where: { $0.records?.contains(record) ?? false }) else { return }
        entries = all.compactMap { entry in
            var entry = entry
            entry.records?.removeAll { $0 == record }
            return entry.records?.isEmpty == true ? nil : entry
        }
    }
}

extension Catalogue {
    /// Providers, then scopes: how many u16 (65,535 for too many), and each as its key behind a count u8, how many
    /// records u8 (255 for more than a few) and their ids; then domains.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        for entries in [environments, scopes] {
            writer.write(entries.map { UInt16($0.count) } ?? .max)
            for entry in entries ?? [] {
                writer.write(UInt8(entry.key.count))
                writer.write(entry.key)
                writer.write(entry.records.map { UInt8($0.count) } ?? Self.many)
                for record in entry.records ?? [] { writer.write(record) }
            }
        }
        domains.write(to: &writer)
        return writer.bytes
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Malformed) {
        environments = try Self.entries(&reader)
        scopes = try Self.entries(&reader)
        domains = try CatalogueOfDomains(&reader)
    }

    private static func entries(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> [Entry]? {
        let count = try reader.read(UInt16.self)
        guard count < .max else { return nil }
        var entries: [Entry] = []
        for _ in 0..<count {
            let key = try reader.read(Int(try reader.read(UInt8.self)))
            let records = try reader.read(UInt8.self)
            var ids: [RecordID] = []
            if records < many {
                for _ in 0..<records { ids.append(try reader.readID()) }
            }
            entries.append(Entry(key: key, records: records < many ? ids : nil))
        }
        return entries
    }
}

extension FieldList {
    /// What stands behind the only `@` of an account's user name.
    private var domain: [String] {
        let parts = ((try? text(3)) ?? "").utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return [] }
        return [String(Substring(parts[1]))]
    }

    /// The traits of a record of `kind` with this body.
    package func traits(_ kind: RecordHeader.Kind) -> [Catalogue.Trait] {
        switch kind {
        case .account: [(try? text(2)) ?? ""].map { .environment($0) } + domain.map { .domain($0) }
        case .accessToken, .refreshToken:
            ScopeSet(spaceSeparated: (try? text(5)) ?? "").scopes.map { .scope($0) }
        case .idToken, .appMetadata, .foreign, .setting, .tombstone, .clientSecret, .journal: []
        }
    }
}
