import KeyfobInterop
import KeyfobModel
import KeyfobSodium

/// An ADAL cache with the bytes it was read from.
struct ADALFile {
    let bytes: [UInt8]
    let cache: ADALCache

    init(
        _ bytes: [UInt8], limits: ADALLimits = ADALLimits(), offset: (Timestamp) -> Int64 = { _ in 0 }
    ) throws(ADALCacheError) {
        self.bytes = bytes
        self.cache = try bytes.withBytes { (bytes) throws(ADALCacheError) in
            try ADALCache(reading: bytes, limits: limits, offset: offset)
        }
    }

    init(_ text: String, offset: (Timestamp) -> Int64 = { _ in 0 }) throws(ADALCacheError) {
        try self.init(Array(text.utf8), offset: offset)
    }

    /// A list of entries, each with `fields` put over those of a sound one; nil removes.
    init(
        entries: [KeyValuePairs<String, String?>], offset: (Timestamp) -> Int64 = { _ in 0 }
    ) throws(ADALCacheError) {
        try self.init("[" + entries.map(Self.entry).joined(separator: ",") + "]", offset: offset)
    }

    /// An entry as Azure CLI wrote it; the values of `fields` are JSON.
    static func entry(_ fields: KeyValuePairs<String, String?> = [:]) -> String {
        var all: [(name: String, json: String)] = [
            ("tokenType", "\"Bearer\""), ("expiresIn", "3599"), ("expiresOn", "\"2018-03-01 12:34:56.123456\""),
            ("resource", "\"https://management.core.windows.net/\""), ("accessToken", "\"access\""),
            ("refreshToken", "\"refresh\""), ("identityProvider", "null"), ("oid", "\"oid\""),
            ("userId", "\"Ada@contoso.example\""), ("isMRRT", "true"), ("_clientId", "\"cli\""),
            ("_authority", "\"https://login.microsoftonline.com/contoso\""), ("familyName", "\"L\""),
            ("givenName", "\"Ada\""),
        ]
        for (name, value) in fields {
            all.removeAll { $0.name == name }
            if let value { all.append((name, value)) }
        }
        return "{" + all.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    var accounts: [Account] { cache.contents.accounts }
    var findings: [String] { cache.findings.map(\.description) }
    var accessTokens: [Credential] { cache.contents.credentials.map(\.credential).filter { $0.kind == .accessToken } }
    var refreshTokens: [Credential] { cache.contents.credentials.map(\.credential).filter { $0.kind == .refreshToken } }

    /// The tokens of one kind as text: those of the tests are no secrets.
    func secrets(_ kind: Credential.Kind) -> [String] {
        cache.contents.credentials.filter { $0.credential.kind == kind }.map { item in
            bytes.withBytes { source in
                item.secret.secret(in: source).withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
            }
        }
    }
}
