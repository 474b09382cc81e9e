internal import KeyfobModel
internal import KeyfobSodium

/// What a file of another tool is by its content.
enum ToolFileShape {
    /// Addresses with users and passwords, one in each line.
    case lines
    /// What pizauth has dumped, opened.
    case dump
    case value(ToolValue, ToolFile.Format)

    /// The largest file of another tool that is read, in bytes; the caches of MSAL and ADAL are no such.
    static let limit = 4 << 20

    /// Nil for what is no file of another tool.
    ///
    /// - Throws: where it is one that cannot be read.
    init?(_ bytes: RawSpan) throws(ToolFileError) {
        if let error = Self.unreadable(bytes) { throw error }
        if bytes.begins(with: PizauthDump.beginning) {
            self = .dump
            return
        }
        guard bytes.byteCount <= Self.limit, (try? UTF8Span(validating: Span<UInt8>(_bytes: bytes))) != nil else {
            return nil
        }
        let start = Self.firstText(bytes)
        if Self.isAgentAccount(bytes) { throw .encrypted(.oidcAgent) }
        if Self.isAddress(Self.line(from: start, bytes), bytes) {
            self = .lines
        } else if bytes.begins(with: "{", at: start), let value = Self.json(bytes) {
            guard let format = Self.format(of: value, bytes) else { return nil }
            self = .value(value, format)
        } else if let value = try Self.yaml(bytes) {
            guard let format = Self.yamlFormat(of: value, bytes) else { return nil }
            self = .value(value, format)
        } else {
            return nil
        }
    }

    /// The value that YAML text is; nil for what is none, and names nothing of a tool's.
    private static func yaml(_ bytes: RawSpan) throws(ToolFileError) -> ToolValue? {
        do throws(YAMLProblem) {
            return ToolValue(try YAMLTape(reading: bytes), bytes)
        } catch {
            guard names(of: ["oauth_token", "git_protocol", "current-context", "clusters"], standIn: bytes) else {
                return nil
            }
            throw .malformed(line: error.line, error.flaw.rawValue)
        }
    }

    private static func json(_ bytes: RawSpan) -> ToolValue? {
        let limits = JSONLimits(size: limit, depth: 32, stringCount: 1 << 20, nodes: 1 << 18)
        return (try? JSONTape(reading: bytes, limits: limits)).map { ToolValue($0, bytes) }
    }

    /// Whose the members of an object are; nil for a cache of MSAL, and for nobody's.
    private static func format(of value: ToolValue, _ bytes: RawSpan) -> ToolFile.Format? {
        let names = Set(value.members.map(\.name))
        func has(_ all: String...) -> Bool { names.isSuperset(of: all) }
        guard names.isDisjoint(with: MSALSection.allCases.map(\.rawValue)) else { return nil }
        if let format = yamlFormat(of: value, bytes) { return format }
        if has(GoogleDatabase.name) { return .gcloudDatabase }
        if has("auths") || has("credsStore") || has("credHelpers") { return .docker }
        if has("issuer_url", "client_id") { return .oidcAgent }
        if has("registration", "email", "refresh_token") { return .mutt }
        if has("type", "client_id") || has("type", "client_email") || has("type", "audience")
            || has("type", "source_credentials")
        {
            return .gcloud
        }
        return nil
    }

    /// Which of the tools that write YAML, of which JSON is a part, has written an object.
    private static func yamlFormat(of value: ToolValue, _ bytes: RawSpan) -> ToolFile.Format? {
        let names = Set(value.members.map(\.name))
        if value["kind"]?.name(bytes) == "Config" || names.contains("current-context")
            || names.isSuperset(of: ["users", "clusters"]) || names.isSuperset(of: ["kind", "users"])
        {
            return .kubeconfig
        }
        func isOfGitHub(_ entry: ToolValue) -> Bool { entry["oauth_token"] != nil || entry["git_protocol"] != nil }
        let isHosts = value.members.contains { member in
            ToolFile.gitHubEntries(of: member.value).contains { entry in
                isOfGitHub(entry) || entry["users"]?.members.contains { isOfGitHub($0.value) } == true
            }
        }
        return isHosts ? .gh : nil
    }

    /// Whether one of `names` stands there, with a colon behind it, as a name of YAML does.
    private static func names(of names: [String], standIn bytes: RawSpan) -> Bool {
        let firsts = names.compactMap(\.utf8.first)
        var index = 0
        while index < bytes.byteCount {
            // Most bytes begin no name, and there may be millions.
            let isStart =
                firsts.contains(bytes.byte(at: index))
                && (index == 0 || !bytes.byte(at: index - 1).isASCIIAlphanumeric)
            if isStart, let name = names.first(where: { bytes.begins(with: $0, at: index) }) {
                var end = index + name.utf8.count
                while end < bytes.byteCount, "\"' \t".utf8.contains(bytes.byte(at: end)) { end += 1 }
                if bytes.begins(with: ":", at: end) { return true }
            }
            index += 1
        }
        return false
    }

    /// What is known by its beginning, and cannot be read.
    private static func unreadable(_ bytes: RawSpan) -> ToolFileError? {
        if bytes.begins(with: SQLiteTable.magic) { return .database }
        if bytes.begins(with: "-----BEGIN PGP MESSAGE-----") { return .encrypted(.gnuPG) }
        return beginsWithSessionKey(bytes) ? .encrypted(.gnuPG) : nil
    }

    /// Whether the first packet is one of OpenPGP with an encrypted session key.
    ///
    /// Those are tags 1 and 3 (RFC 9580, sections 4.2, 5.1 and 5.3). The version and the algorithm are looked at too,
    /// since other bytes often begin with such a tag.
    private static func beginsWithSessionKey(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 16 else { return false }
        let tag = bytes.byte(at: 0)
        let isPublicKey: Bool
        let body: Int
        switch tag {
        case 0x84...0x86, 0x8C...0x8E:
            isPublicKey = tag < 0x88
            body = 1 + 1 << Int(tag & 3)
        case 0xC1, 0xC3:
            isPublicKey = tag == 0xC1
            let length = bytes.byte(at: 1)
            body = length < 192 ? 2 : length < 224 ? 3 : 6
        default:
            return false
        }
        switch (isPublicKey, bytes.byte(at: body)) {
        // A key's id of eight bytes, then the algorithm.
        case (true, 3): return (1...31).contains(bytes.byte(at: body + 9))
        case (false, 4), (false, 5): return (1...13).contains(bytes.byte(at: body + 1))
        case (_, 6): return bytes.byte(at: body + 1) < 64
        default: return false
        }
    }

    /// Whether the lines begin with a length, a nonce of 24 bytes and a salt of 16, as oidc-agent writes them.
    private static func isAgentAccount(_ bytes: RawSpan) -> Bool {
        let first = line(from: 0, bytes)
        let second = line(from: min(first.upperBound + 1, bytes.byteCount), bytes)
        let third = line(from: min(second.upperBound + 1, bytes.byteCount), bytes)
        func isBase64(_ range: Range<Int>) -> Bool {
            range.allSatisfy { bytes.byte(at: $0).isASCIIAlphanumeric || "+/-_=".utf8.contains(bytes.byte(at: $0)) }
        }
        return (1...8).contains(first.count) && first.allSatisfy { bytes.byte(at: $0).isASCIIDigit }
            && second.count == 32 && isBase64(second) && (22...24).contains(third.count) && isBase64(third)
    }

    /// Whether a line is `https://USER:PASSWORD@HOST`, or begins so.
    private static func isAddress(_ line: Range<Int>, _ bytes: RawSpan) -> Bool {
        let begins =
            bytes.begins(with: "https://", at: line.lowerBound) || bytes.begins(with: "http://", at: line.lowerBound)
        return begins && bytes.first(of: "@", in: line) != nil
    }

    /// Where the first line with something in it begins to have it.
    private static func firstText(_ bytes: RawSpan) -> Int {
        let start = bytes.begins(with: "\u{FEFF}") ? 3 : 0
        return (start..<bytes.byteCount).first { ![0x0A, 0x0D, 0x20, 0x09].contains(bytes.byte(at: $0)) }
            ?? bytes.byteCount
    }

    /// The line that begins at `start`, without its end.
    static func line(from start: Int, _ bytes: RawSpan) -> Range<Int> {
        start..<(bytes.first(of: "\n", in: start..<bytes.byteCount) ?? bytes.byteCount)
    }
}
