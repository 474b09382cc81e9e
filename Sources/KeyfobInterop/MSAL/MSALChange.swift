package import KeyfobModel

/// What a program puts into its token cache and removes from it, entity by entity, as MSAL does.
///
/// Written as `{"put": {SECTION: {KEY: ENTITY}}, "remove": {SECTION: {KEY: ENTITY}}}`.
package struct MSALChange: Sendable {
    /// What is put; nil where nothing is.
    package let put: Part?
    /// What is removed; nil where nothing is.
    package let remove: Part?

    /// One half of a change.
    package struct Part: Sendable {
        /// What was read of the entities; places in it count from the beginning of ``range``.
        package let cache: MSALCache
        /// All entities of the known sections.
        package let entities: [Entity]
        /// Where the half is.
        package let range: Range<Int>

        /// The entities that Keyfob has no records of its own for: they are kept as they are.
        package var foreign: [Entity] {
            let left = cache.skipped.filter { $0.reason != .repeatedKey }
            return entities.filter { entity in
                left.contains { $0.section == entity.section.rawValue && $0.ordinal == entity.ordinal }
                    || cache.foreign.contains { $0.section == entity.section && $0.key == entity.key }
            }
        }

        /// The key under which a token stands.
        package func key(of token: MSALCache.StoredCredential) -> String {
            entities.first { $0.range.contains(token.secret.range.lowerBound) }?.key ?? ""
        }
    }

    /// One entity.
    package struct Entity: Hashable, Sendable {
        /// The section.
        package let section: MSALSection
        /// Its key, as MSAL makes it.
        package let key: String
        /// Its place in the section, from 1 on.
        let ordinal: Int
        /// Its JSON value, in the bytes of its half.
        package let range: Range<Int>
    }

    /// Reads a change.
    package init(reading bytes: RawSpan) throws(MSALCacheError) {
        let tape = try MSALChange.tape(bytes)
        guard tape.kind(of: tape.root) == .object else { throw .notACache(.notAnObject) }
        put = try MSALChange.part("put", tape, bytes)
        remove = try MSALChange.part("remove", tape, bytes)
    }

    private static func tape(_ bytes: RawSpan) throws(MSALCacheError) -> JSONTape {
        do {
            return try JSONTape(reading: bytes, limits: MSALLimits().json)
        } catch {
            throw MSALCacheError(error)
        }
    }

    private static func part(_ name: String, _ tape: JSONTape, _ bytes: RawSpan) throws(MSALCacheError) -> Part? {
        guard let value = tape.member(name, of: tape.root, in: bytes) else { return nil }
        let range = tape.range(of: value)
        let bytes = bytes.extracting(range)
        return Part(cache: try MSALCache(reading: bytes), entities: entities(try Self.tape(bytes), bytes), range: range)
    }

    private static func entities(_ tape: JSONTape, _ bytes: RawSpan) -> [Entity] {
        var found: [Entity] = []
        for member in tape.members(of: tape.root) {
            guard let section = MSALSection(rawValue: tape.string(of: member.name, in: bytes) ?? "") else { continue }
            for (index, entity) in tape.members(of: member.value, includingSuperseded: true).enumerated() {
                found.append(
                    Entity(
                        section: section, key: tape.string(of: entity.name, in: bytes) ?? "", ordinal: index + 1,
                        range: tape.range(of: entity.value)))
            }
        }
        return found
    }
}

extension MSALEntityKey {
    /// The key of a token, under the type that stands in its entity.
    package static func key(of credential: Credential) -> String {
        key(of: credential, credentialType: MSALCredentialType.written(of: credential))
    }
}
