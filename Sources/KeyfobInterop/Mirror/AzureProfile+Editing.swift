package import KeyfobModel
internal import KeyfobSodium

extension AzureProfile {
    /// A person whom az is to know, although they have no subscription that it has heard of.
    package struct Person: Hashable, Sendable {
        /// The name they sign in with.
        package let username: String
        /// The tenant in which they are at home.
        package let tenantID: String
        /// What az calls the cloud.
        package let cloud: String

        /// Who an account of a cache is to az; nil where it is at none of Microsoft's clouds, or at home in no tenant.
        package init?(_ account: Account) {
            guard !account.username.isEmpty, let tenant = account.homeRealm, tenant.utf8.count == 36 else { return nil }
            switch EnvironmentAliases.canonicalName(of: account.id.environment) {
            case "login.microsoftonline.com": cloud = "AzureCloud"
            case "login.partner.microsoftonline.cn": cloud = "AzureChinaCloud"
            case "login.microsoftonline.us": cloud = "AzureUSGovernment"
            default: return nil
            }
            (username, tenantID) = (account.username, tenant)
        }

        /// What the mirror's note says of the entry.
        package var digest: MirrorDigest { MirrorDigest(Identifier.foldedName(username), tenantID) }
    }

    /// `azureProfile.json` with an entry for each person that it has none of, as 'az login --allow-no-subscriptions' writes
    /// them; all else stays byte for byte.
    ///
    /// - Parameter text: The file; nil where there is none.
    /// - Returns: What the file is to hold, nil where that is what it holds, and whose entries are new.
    package static func adding(
        _ people: [Person], to text: [UInt8]?
    ) throws(JSONError) -> (text: [UInt8]?, added: [Person]) {
        let text = text.flatMap { $0.isEmpty ? nil : $0 } ?? Array("{}".utf8)
        return try text.withBytes { (bytes) throws(JSONError) -> (text: [UInt8]?, added: [Person]) in
            let tape = try JSONTape(reading: bytes, limits: JSONLimits(size: 16 << 20))
            let list = tape.member("subscriptions", of: tape.root, in: bytes)
            guard tape.kind(of: tape.root) == .object, list.map({ tape.kind(of: $0) == .array }) ?? true else {
                return (nil, [])
            }
            let known = Set(try AzureProfile(reading: bytes).subscriptions.map { Identifier.foldedName($0.username) })
            let missing = people.filter { !known.contains(Identifier.foldedName($0.username)) }
            guard !missing.isEmpty else { return (nil, []) }
            let entries = list.map { Array(tape.elements(of: $0)) } ?? []
            var hasDefault = entries.contains { entry in
                tape.member("isDefault", of: entry, in: bytes).map { tape.kind(of: $0) == .true } ?? false
            }
            var new = ""
            for person in missing {
                new += (new.isEmpty && entries.isEmpty ? "" : ", ") + entry(person, isDefault: !hasDefault)
                hasDefault = true
            }
            let place: Int
            if let list {
                place = entries.last.map { tape.range(of: $0).upperBound } ?? tape.range(of: list).lowerBound + 1
            } else {
                place = tape.range(of: tape.root).lowerBound + 1
                let isEmpty = Array(tape.members(of: tape.root)).isEmpty
                new = "\"subscriptions\": [\(new)]\(isEmpty ? "" : ", ")"
            }
            return (TextEdit(adding: new, at: place).applied(to: text), missing)
        }
    }

    /// The file without those of the mirror's entries whose person is gone.
    ///
    /// - Parameter isGone: Whether the entry with this digest is to go.
    /// - Returns: Nil where nothing goes.
    package static func removing(from text: [UInt8], where isGone: (MirrorDigest) -> Bool) throws(JSONError) -> [UInt8]?
    {
        try text.withBytes { (bytes) throws(JSONError) -> [UInt8]? in
            let tape = try JSONTape(reading: bytes, limits: JSONLimits(size: 16 << 20))
            guard let list = tape.member("subscriptions", of: tape.root, in: bytes) else { return nil }
            let entries = Array(tape.elements(of: list))
            func string(_ name: String, _ object: JSONTape.Value) -> String {
                tape.member(name, of: object, in: bytes).flatMap { tape.string(of: $0, in: bytes) } ?? ""
            }
            let going = entries.indices.filter { index in
                guard let user = tape.member("user", of: entries[index], in: bytes) else { return false }
                let digest = MirrorDigest(
                    Identifier.foldedName(string("name", user)), string("tenantId", entries[index]))
                return string("name", entries[index]) == tenantLevelName && isGone(digest)
            }
            guard !going.isEmpty else { return nil }
            // With each goes the comma before it, or the one behind where it is the first that stays.
            var ranges: [Range<Int>] = []
            let first = entries.indices.first { !going.contains($0) }
            for index in going {
                let range = tape.range(of: entries[index])
                if let first, index < first {
                    ranges.append(range.lowerBound..<tape.range(of: entries[index + 1]).lowerBound)
                } else {
                    let start = index > 0 ? tape.range(of: entries[index - 1]).upperBound : range.lowerBound
                    ranges.append(start..<range.upperBound)
                }
            }
            return TextEdit(removing: ranges).applied(to: text)
        }
    }

    private static func entry(_ person: Person, isDefault: Bool) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", person.tenantID)
        writer.member("name", tenantLevelName)
        writer.member("state", "Enabled")
        writer.name("user")
        writer.beginObject()
        writer.member("name", person.username)
        writer.member("type", "user")
        writer.endObject()
        writer.member("isDefault", isDefault)
        writer.member("tenantId", person.tenantID)
        writer.member("environmentName", person.cloud)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension MSALDocument {
    /// The places of the entries of some accounts.
    package func places(of accounts: Set<MirrorDigest>) -> Set<Int> {
        Set(
            entries.indices.filter { index in
                entries[index].account.map { accounts.contains(MirrorDigest($0)) } ?? false
            })
    }
}
