internal import KeyfobModel
internal import KeyfobSodium

extension ADALCollector {
    /// The names under which token items were archived.
    private static let itemClasses: Set<String> = [
        "ADTokenCacheItem", "ADTokenCacheStoreItem", "ADALTokenCacheItem", "MSIDLegacyTokenCacheItem",
        "MSIDTokenCacheItem",
    ]
    /// The longest ID token that is looked at.
    private static let longestIDToken = 65_536

    /// Reads a keyed archive, or the keychain items of a property list.
    mutating func readPropertyList(_ bytes: RawSpan) throws(ADALCacheError) {
        let list = try Self.list(bytes, nil, limits)
        if let archive = KeyedArchive(list, bytes) {
            try read(archive, account: nil, bytes)
        } else if list.kind(of: list.root) == .array {
            try readItems(list, bytes)
        }
        // Nothing but what is not ADAL's.
        guard findings.contains(where: { ![.notAnArchive, .notAnObject].contains($0.reason) }) || !entries.isEmpty
        else { throw .notACache }
    }

    private static func list(
        _ bytes: RawSpan, _ part: Range<Int>?, _ limits: ADALLimits
    ) throws(ADALCacheError) -> BinaryPropertyList {
        do {
            return try BinaryPropertyList(reading: bytes, in: part, limits: limits.propertyList)
        } catch {
            throw .propertyList(error)
        }
    }

    private mutating func readItems(_ list: BinaryPropertyList, _ bytes: RawSpan) throws(ADALCacheError) {
        var seen: Set<BinaryPropertyList.Object> = []
        for index in 0..<list.count(of: list.root) {
            let item = list.element(index, of: list.root, in: bytes)
            guard list.kind(of: item) == .dictionary else {
                try take { () throws(ADALFinding.Reason) in throw .notAnObject }
                continue
            }
            let members = list.members(of: item, in: bytes) ?? [:]
            let data = members["v_Data"].flatMap { list.kind(of: $0) == .data ? $0 : nil }
            // One item's data is read once, or a small file could ask for much work.
            if let data, !seen.insert(data).inserted {
                try take { () throws(ADALFinding.Reason) in throw .repeated }
                continue
            }
            guard let part = data.flatMap({ list.range(of: $0) }), let inner = try? Self.list(bytes, part, limits),
                let archive = KeyedArchive(inner, bytes)
            else {
                try take { () throws(ADALFinding.Reason) in throw .notAnArchive }
                continue
            }
            let account = members["acct"].flatMap { list.string(of: $0, in: bytes) }
            let before = ordinal
            try read(archive, account: account.map(Self.userName), bytes)
            if ordinal == before { try take { () throws(ADALFinding.Reason) in throw .notAnArchive } }
        }
    }

    /// A keychain item's account as a user name: on iOS it is in base64.
    private static func userName(_ account: String) -> String {
        guard !account.utf8.contains(UInt8(ascii: "@")), let bytes = Base64.decodeAny(account.utf8),
            case let text = String(decoding: bytes, as: UTF8.self), text.utf8.contains(UInt8(ascii: "@")),
            Identifier.isAcceptable(text)
        else { return account }
        return text
    }

    private mutating func read(
        _ archive: KeyedArchive, account: String?, _ bytes: RawSpan
    ) throws(ADALCacheError) {
        // Many items may share one person.
        var identities: [BinaryPropertyList.Object: ADALIdentity] = [:]
        try archive.forEachObject(of: Self.itemClasses, in: bytes) { item throws(ADALCacheError) in
            try take { () throws(ADALFinding.Reason) in
                try Self.fields(of: item, archive, account, &identities, bytes)
            }
        }
    }

    private static func fields(
        of item: BinaryPropertyList.Object, _ archive: KeyedArchive, _ account: String?,
        _ identities: inout [BinaryPropertyList.Object: ADALIdentity], _ bytes: RawSpan
    ) throws(ADALFinding.Reason) -> ADALFields {
        guard let values = archive.fields(of: item, in: bytes) else { throw .notAnObject }
        var fields = ADALFields()
        for (key, value) in values {
            guard let field = ADALField(archiveKey: key) else { continue }
            switch field {
            case .accessToken: fields.accessToken = try secret(field, value, archive, bytes)
            case .refreshToken: fields.refreshToken = try secret(field, value, archive, bytes)
            case .expiresOn: fields.expiresOn = archive.date(value, in: bytes).flatMap(ADALTime.timestamp(since2001:))
            case .cachedAt: fields.cachedAt = archive.date(value, in: bytes).flatMap(ADALTime.timestamp(since2001:))
            default:
                guard let text = archive.text(value, in: bytes) else { throw .notText(field) }
                guard let string = archive.list.string(of: text, in: bytes) else { throw .unacceptable(field) }
                if !string.isEmpty { fields.texts[field] = string }
            }
        }
        // A token for all resources stands alone; with an access token beside it, it is for that one's resource.
        fields.isMultiResource = fields.accessToken == nil
        if let person = values["userInformation"] {
            let known = identities[person] ?? identity(of: person, archive, bytes)
            identities[person] = known
            fields.identity = known
            fields.texts[.userID] = known.userID
        }
        if fields.texts[.userID] == nil { fields.texts[.userID] = account }
        if fields.texts[.homeAccountID] == nil, let clientInfo = values["clientInfo"] {
            fields.texts[.homeAccountID] = homeAccountID(clientInfo, archive, bytes)
        }
        return fields
    }

    /// Where a token is: in text of ASCII, without spaces and control characters, as every token is.
    private static func secret(
        _ field: ADALField, _ value: BinaryPropertyList.Object, _ archive: KeyedArchive, _ bytes: RawSpan
    ) throws(ADALFinding.Reason) -> SecretLocation? {
        guard let text = archive.text(value, in: bytes) else { throw .notText(field) }
        guard archive.list.kind(of: text) == .ascii, let range = archive.list.range(of: text) else {
            throw .unacceptable(field)
        }
        guard !range.isEmpty else { return nil }
        let octets = Span<UInt8>(_bytes: bytes)
        guard range.allSatisfy({ (0x21...0x7E).contains(octets[$0]) }) else { throw .unacceptable(field) }
        let secret = SecretLocation(plain: range)
        if secret.isWritten(as: "<tombstone>", in: bytes) { throw .tombstone }
        return secret
    }

    private static func identity(
        of person: BinaryPropertyList.Object, _ archive: KeyedArchive, _ bytes: RawSpan
    ) -> ADALIdentity {
        let values = archive.fields(of: person, in: bytes) ?? [:]
        var identity = ADALIdentity()
        if let token = values["rawIdToken"].flatMap({ archive.text($0, in: bytes) }),
            let range = archive.list.range(of: token), range.count <= longestIDToken
        {
            let octets = Span<UInt8>(_bytes: bytes)
            identity = ADALIdentity(idToken: range.map { octets[$0] }) ?? identity
        }
        let userID = values["userId"].flatMap { archive.text($0, in: bytes) }
        if let userID, let name = archive.list.string(of: userID, in: bytes), Identifier.isAcceptable(name) {
            identity.userID = name
        }
        return identity
    }

    /// `uid.utid` of the client info that the token endpoint gave.
    private static func homeAccountID(
        _ clientInfo: BinaryPropertyList.Object, _ archive: KeyedArchive, _ bytes: RawSpan
    ) -> String? {
        guard let text = archive.text(clientInfo, in: bytes),
            let encoded = archive.list.string(of: text, in: bytes), let json = Base64.decodeAny(encoded.utf8)
        else { return nil }
        let inner = RawSpan(_elements: json.span)
        guard let tape = try? JSONTape(reading: inner, limits: JSONLimits(size: 4_096, depth: 4)),
            let uid = tape.member("uid", of: tape.root, in: inner).flatMap({ tape.string(of: $0, in: inner) }),
            let utid = tape.member("utid", of: tape.root, in: inner).flatMap({ tape.string(of: $0, in: inner) }),
            !uid.isEmpty, !utid.isEmpty
        else { return nil }
        return uid + "." + utid
    }
}
