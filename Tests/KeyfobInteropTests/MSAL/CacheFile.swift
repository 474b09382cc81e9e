import KeyfobInterop
import KeyfobModel
import KeyfobSodium

/// A cache with the bytes it was read from.
struct CacheFile {
    let bytes: [UInt8]
    let cache: MSALCache

    init(_ bytes: [UInt8], limits: MSALLimits = MSALLimits()) throws(MSALCacheError) {
        self.bytes = bytes
        self.cache = try MSALCache(reading: RawSpan(_elements: bytes.span), limits: limits)
    }

    init(_ text: String, limits: MSALLimits = MSALLimits()) throws(MSALCacheError) {
        try self.init(Array(text.utf8), limits: limits)
    }

    /// A cache with one entity, whose fields are `fields` put over those of a sound one; nil removes.
    init(_ section: MSALSection, _ fields: KeyValuePairs<String, String?> = [:]) throws(MSALCacheError) {
        try self.init(#"{"\#(section.rawValue)":{"key":\#(Self.entity(section, fields))}}"#)
    }

    /// An entity as JSON; the values of `fields` are JSON too.
    static func entity(_ section: MSALSection, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
        var all = soundFields(section)
        for (name, value) in fields {
            all.removeAll { $0.name == name }
            if let value { all.append((name, value)) }
        }
        return "{" + all.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    private static func soundFields(_ section: MSALSection) -> [(name: String, json: String)] {
        let place = [("home_account_id", "\"uid.utid\""), ("environment", "\"login.example.com\"")]
        let token = place + [("client_id", "\"client\""), ("secret", "\"hidden\"")]
        return switch section {
        case .accessToken:
            token + [
                ("credential_type", "\"AccessToken\""), ("realm", "\"contoso\""), ("target", "\"s1 s2\""),
                ("cached_at", "\"1000\""), ("expires_on", "\"4600\""),
            ]
        case .refreshToken: token + [("credential_type", "\"RefreshToken\"")]
        case .idToken: token + [("credential_type", "\"IdToken\""), ("realm", "\"contoso\"")]
        case .account:
            place + [
                ("realm", "\"contoso\""), ("local_account_id", "\"object1234\""), ("username", "\"John Doe\""),
                ("authority_type", "\"MSSTS\""),
            ]
        case .appMetadata: [("client_id", "\"client\""), ("environment", "\"login.example.com\"")]
        }
    }

    /// The secret of the credential at `index`, as text: the tests' secrets are none.
    func secret(_ index: Int = 0) -> String {
        text(of: cache.credentials[index].secret.secret(in: RawSpan(_elements: bytes.span)))
    }

    func secrets() -> [String] { cache.credentials.indices.map(secret) }

    func json(of node: MSALForeignNode) -> String {
        text(of: node.json(in: RawSpan(_elements: bytes.span)))
    }

    private func text(of secret: borrowing SecretBytes) -> String {
        secret.withBytes { bytes in
            let octets = Span<UInt8>(_bytes: bytes)
            return String(decoding: octets.indices.map { octets[$0] }, as: UTF8.self)
        }
    }

    /// The cache as Keyfob writes it.
    func written() -> [UInt8] {
        var output: [UInt8] = []
        write { piece in
            let octets = Span<UInt8>(_bytes: piece)
            for index in octets.indices { output.append(octets[index]) }
        }
        return output
    }

    /// Writes the cache, one secret in memory at a time.
    func write<Failure: Error>(to output: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        let source = RawSpan(_elements: bytes.span)
        var writer = MSALCacheWriter()
        for section in MSALSection.allCases {
            writer.begin(section)
            for item in cache.credentials where MSALSection(item.credential.kind) == section {
                _ = try writer.append(item.credential, secret: item.secret.secret(in: source), to: output)
            }
            if section == .account { for account in cache.accounts { try writer.append(account, to: output) } }
            if section == .appMetadata { for client in cache.appMetadata { try writer.append(client, to: output) } }
            for node in cache.foreign where node.section == section {
                try writer.append(foreignEntity: node.key, json: node.json(in: source), to: output)
            }
        }
        for node in cache.foreign where node.section == nil {
            try writer.append(foreignNode: node.key, json: node.json(in: source), to: output)
        }
        try writer.finish(to: output)
    }

    /// The text that Keyfob writes.
    func writtenText() -> String { String(decoding: written(), as: UTF8.self) }
}
