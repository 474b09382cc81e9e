internal import KeyfobModel
internal import KeyfobSodium

// What `pizauth dump` writes: ChaCha20-Poly1305 under a key that is in its source, against those who look for words alone.
// A nonce of 12 bytes, then the ciphertext of integers (little-endian), texts behind their lengths (64 bits), and lists
// behind their counts: the version 1, and for each account its name, configuration and tokens.

/// The form of the dumps.
enum PizauthDump {
    private static let key: [UInt8] = [
        0x66, 0xA2, 0x47, 0xA8, 0x5E, 0x48, 0xCF, 0xEC, 0xAA, 0xED, 0x9B, 0x36, 0xEB, 0xA9, 0x7D, 0x53,
        0x50, 0xD4, 0x28, 0x63, 0x75, 0x09, 0x7A, 0x44, 0xEE, 0xFF, 0xB9, 0xC4, 0x54, 0x6B, 0x65, 0xA3,
    ]
    /// The bytes that a dump of the version that is read begins with.
    static let beginning = "\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}"

    /// What a dump holds; nil for what is none.
    ///
    /// - Throws: `damagedDump` for one of another version.
    static func opened(_ bytes: RawSpan) throws(ToolFileError) -> SecretBytes? {
        let nonceCount = ChaCha20Poly1305.nonceCount
        guard bytes.byteCount >= nonceCount + ChaCha20Poly1305.tagCount + 16, bytes.byteCount <= ToolFileShape.limit
        else { return nil }
        let nonce = [UInt8](bytes.extracting(0..<nonceCount))
        let dump = key.withBytes { key in
            try? ChaCha20Poly1305.open(
                bytes.extracting(nonceCount..<bytes.byteCount), key: key, nonce: nonce, placement: .recycled)
        }
        guard let dump else { return nil }
        guard dump.withBytes({ $0.begins(with: beginning) }) else { throw .damagedDump }
        return dump
    }

    /// Goes through a dump that is open.
    struct Reader {
        private var position = 0

        mutating func number(_ bytes: RawSpan, count: Int = 8) throws(ToolFileError) -> Int {
            guard bytes.byteCount - position >= count else { throw .damagedDump }
            defer { position += count }
            let value = (0..<count).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64(bytes.byte(at: position + $1)) }
            return Int(clamping: value)
        }

        mutating func text(_ bytes: RawSpan) throws(ToolFileError) -> Range<Int> {
            let count = try number(bytes)
            guard bytes.byteCount - position >= count else { throw .damagedDump }
            defer { position += count }
            return position..<position + count
        }

        mutating func optionalText(_ bytes: RawSpan) throws(ToolFileError) -> Range<Int>? {
            switch try number(bytes, count: 1) {
            case 0: nil
            case 1: try text(bytes)
            default: throw .damagedDump
            }
        }

        /// The count of a list, whose elements have one byte at least.
        mutating func count(_ bytes: RawSpan) throws(ToolFileError) -> Int {
            let count = try number(bytes)
            guard count <= bytes.byteCount - position else { throw .damagedDump }
            return count
        }

        mutating func time(_ bytes: RawSpan) throws(ToolFileError) -> Timestamp {
            let seconds = try number(bytes)
            _ = try number(bytes, count: 4)
            return Timestamp(seconds: min(Int64(seconds), MSALTime.latest))
        }

        func isAtEnd(_ bytes: RawSpan) -> Bool { position == bytes.byteCount }
    }

    /// An account with its tokens.
    struct Entry {
        let name: Range<Int>
        private(set) var hint: Range<Int>?
        let authorizationEndpoint, clientID, tokenEndpoint: Range<Int>
        let clientSecret: Range<Int>?
        private(set) var scopes: [Range<Int>] = []
        private(set) var tokens: (access: Range<Int>, obtained: Timestamp, expiry: Timestamp, refresh: Range<Int>?)?

        init(_ reader: inout Reader, _ bytes: RawSpan) throws(ToolFileError) {
            name = try reader.text(bytes)
            authorizationEndpoint = try reader.text(bytes)
            for _ in 0..<(try reader.count(bytes)) {
                let (key, value) = (try reader.text(bytes), try reader.text(bytes))
                if PizauthDump.string(key, bytes) == "login_hint" { hint = value }
            }
            clientID = try reader.text(bytes)
            clientSecret = try reader.optionalText(bytes)
            _ = try reader.text(bytes)
            for _ in 0..<(try reader.count(bytes)) { scopes.append(try reader.text(bytes)) }
            tokenEndpoint = try reader.text(bytes)
            switch try reader.number(bytes, count: 4) {
            case 0: break
            case 1:
                tokens = (
                    try reader.text(bytes), try reader.time(bytes), try reader.time(bytes),
                    try reader.optionalText(bytes)
                )
            default: throw .damagedDump
            }
        }
    }

    /// A text that is no secret; nil for what names nothing.
    static func string(_ range: Range<Int>, _ bytes: RawSpan) -> String? {
        ToolValue.text(SecretLocation(plain: range)).name(bytes)
    }
}

extension ToolFile {
    mutating func readPizauthDump(_ bytes: RawSpan) throws(ToolFileError) {
        var reader = PizauthDump.Reader()
        _ = try reader.number(bytes)
        let dumpedAt = writtenAt
        for _ in 0..<(try reader.count(bytes)) {
            let entry = try PizauthDump.Entry(&reader, bytes)
            if let obtained = entry.tokens?.obtained { writtenAt = dumpedAt.map { min($0, obtained) } ?? obtained }
            readPizauthEntry(entry, bytes)
        }
        guard reader.isAtEnd(bytes) else { throw .damagedDump }
    }

    private mutating func readPizauthEntry(_ entry: PizauthDump.Entry, _ bytes: RawSpan) {
        func string(_ range: Range<Int>) -> String? { PizauthDump.string(range, bytes) }
        let title = string(entry.name) ?? ""
        guard let tokens = entry.tokens else { return }
        do throws(ToolFinding.Reason) {
            guard let environment = Self.environment(ofIssuer: string(entry.authorizationEndpoint)) else {
                throw .badIssuer
            }
            // A refresh token goes to its account's environment, and nowhere else.
            guard let host = string(entry.tokenEndpoint).flatMap({ CredentialURL($0) })?.address.host,
                let pattern = HostPattern(host),
                host == environment || BuiltInHosts.environment(claiming: pattern, besides: "") == environment
            else { throw .otherEndpoint }
            guard let account = account(entry.hint.flatMap(string) ?? title, at: environment) else { throw .nobody }
            guard let client = string(entry.clientID) else { throw .noClient }
            let scopes = ScopeSet(entry.scopes.compactMap(string))
            add(
                .accessToken, SecretLocation(plain: tokens.access), of: account, client: client, scopes: scopes,
                until: tokens.expiry)
            guard let token = tokens.refresh else { return }
            add(.refreshToken, SecretLocation(plain: token), of: account, client: client, scopes: scopes)
            add(client: client, secret: entry.clientSecret.map { SecretLocation(plain: $0) }, at: environment)
        } catch {
            skip(.user(title), error)
        }
    }
}
