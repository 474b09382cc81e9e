internal import KeyfobModel
internal import KeyfobSodium

/// What an entry, or the ID token in it, says about the person.
struct ADALIdentity: Hashable {
    var userID: String?
    var objectID: String?
    var tenantID: String?
    /// Who signed the person in; only where that is not the tenant itself.
    var identityProvider: String?
    var name: String?

    init() {}

    /// What the claims of an ID token say; the signature is not looked at, because nothing is granted by it.
    init?(idToken: some Sequence<UInt8>) {
        let parts = Array(idToken).split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let claims = Base64.decodeAny(parts[1]) else { return nil }
        let bytes = RawSpan(_elements: claims.span)
        guard let tape = try? JSONTape(reading: bytes, limits: JSONLimits(size: 65_536, depth: 16)) else { return nil }
        var found: [String: String] = [:]
        for member in tape.members(of: tape.root) {
            guard let name = tape.string(of: member.name, in: bytes),
                let value = tape.string(of: member.value, in: bytes), Identifier.isAcceptable(value)
            else { continue }
            found[name] = value
        }
        userID = found["upn"] ?? found["email"] ?? found["unique_name"] ?? found["preferred_username"] ?? found["sub"]
        objectID = found["oid"]
        tenantID = found["tid"]
        identityProvider = found["idp"]
        name = found["name"] ?? Self.name(found["given_name"], found["family_name"])
    }

    /// A whole name from its two halves.
    static func name(_ given: String?, _ family: String?) -> String? {
        let parts = [given, family].compactMap { $0 }.filter(Identifier.isAcceptable)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
