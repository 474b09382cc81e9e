package import KeyfobModel
package import KeyfobSodium

/// What git asks a credential helper: lines `key=value` up to an empty one (git-credential(1)).
///
/// All of it may come from whoever wrote the address that git was given, and the challenges from the server. Of those
/// the schemes alone are looked at: no realm and no scope in them decides anything.
package struct GitCredentialRequest: ~Copyable, Sendable {
    /// The longest request that is read, in bytes.
    package static let maximumCount = 1 << 20
    /// The longest line, in bytes, as git has it.
    package static let lineLimit = 65_535
    /// What stands before our own among the values of `state[]`.
    static let statePrefix = "keyfob:"

    private var scheme = ""
    private var host = ""
    private var path = ""
    /// The user that the address names, or git's configuration.
    package private(set) var username: String?
    /// The password or the token that git has used.
    package var secret: SecretBytes?
    /// Whether that is the one of RFC 7617 with a user name.
    private var isBasic = false
    /// The schemes of the server's challenges, in small letters.
    package private(set) var challenges: [String] = []
    /// Whether git takes a token together with the scheme by which it is sent (`authtype`).
    package private(set) var takesSchemes = false
    /// Whether git brings back what it is told to keep (`state`).
    package private(set) var keepsState = false
    /// The id of the account whose token it was given before.
    package private(set) var account: String?

    /// Why something is no such request; no case holds any of it.
    package enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        case notAPair(line: Int)
        case tooLong(line: Int)
        case forbiddenCharacter(line: Int)

        /// What is wrong, in one line.
        package var description: String {
            switch self {
            case .notAPair(let line): "line \(line) is not key=value"
            case .tooLong(let line): "line \(line) is longer than \(lineLimit) bytes"
            case .forbiddenCharacter(let line): "line \(line) holds a control character, or is not UTF-8"
            }
        }
    }

    private init() {}

    /// Reads a request.
    package init(reading text: borrowing SecretBytes) throws(Flaw) {
        self = try text.withBytes { bytes throws(Flaw) in try Self.read(bytes) }
    }

    /// Whether the bytes end in the empty line that ends a request.
    package static func isWhole(_ bytes: RawSpan) -> Bool {
        let count = bytes.byteCount
        guard count > 0, bytes.byte(at: count - 1) == UInt8(ascii: "\n") else { return false }
        return count == 1 || bytes.byte(at: count - 2) == UInt8(ascii: "\n")
    }

    private static func read(_ bytes: RawSpan) throws(Flaw) -> GitCredentialRequest {
        var request = GitCredentialRequest()
        var (start, number) = (0, 0)
        while start < bytes.byteCount {
            number += 1
            var (end, equals) = (start, nil as Int?)
            while end < bytes.byteCount, bytes.byte(at: end) != UInt8(ascii: "\n") {
                if equals == nil, bytes.byte(at: end) == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if end == start { break }
            guard end - start <= lineLimit else { throw .tooLong(line: number) }
            guard let equals, equals > start else { throw .notAPair(line: number) }
            guard let key = text(bytes.extracting(start..<equals)) else { throw .forbiddenCharacter(line: number) }
            guard request.take(key, bytes.extracting((equals + 1)..<end)) else {
                throw .forbiddenCharacter(line: number)
            }
            start = end + 1
        }
        if request.isBasic, let credentials = request.secret.take() {
            request.secret = password(ofBasic: credentials)
        }
        return request
    }

    /// Takes note of a pair; false where the value is not what it may be.
    ///
    /// Keys that are not known are git's own.
    private mutating func take(_ key: String, _ value: RawSpan) -> Bool {
        if key == "password" || key == "credential" {
            let bytes = SecretBytes(copying: value)
            guard bytes.isHeaderValue else { return false }
            secret = consume bytes
            return true
        }
        guard let text = Self.text(value) else { return false }
        switch key {
        case "protocol": scheme = text
        case "host": host = text
        case "path": path = text
        case "authtype": isBasic = Identifier.folded(text) == "basic"
        case "username": username = text.isEmpty ? nil : text
        case "wwwauth[]":
            // An empty one begins anew, as everywhere in git.
            guard !text.isEmpty else {
                challenges = []
                break
            }
            challenges.append(Identifier.folded(String(text.prefix { $0 != " " && $0 != "," })))
        case "capability[]":
            if text == "authtype" { takesSchemes = true }
            if text == "state" { keepsState = true }
        case "state[]":
            if text.hasPrefix(Self.statePrefix) { account = String(text.dropFirst(Self.statePrefix.count)) }
        default: break
        }
        return true
    }

    /// The password in credentials of RFC 7617; nil where there is none.
    private static func password(ofBasic credentials: borrowing SecretBytes) -> SecretBytes? {
        credentials.withBytes { text in
            guard let decoded = Base64.standard.decodeSecret(text) else { return nil }
            return decoded.withBytes { bytes in
                guard let colon = (0..<bytes.byteCount).first(where: { bytes.byte(at: $0) == UInt8(ascii: ":") }) else {
                    return nil
                }
                return SecretBytes(copying: bytes.extracting((colon + 1)...))
            }
        }
    }

    /// The text that bytes are; nil where they are not UTF-8, or hold a control character.
    private static func text(_ bytes: RawSpan) -> String? {
        guard let text = String(validating: [UInt8](bytes), as: UTF8.self),
            !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        return text
    }
}

// What it means.
extension GitCredentialRequest {
    /// Where the token is to go; nil where none goes.
    package var url: CredentialURL? { CredentialURL(scheme: scheme, host: host, path: path) }

    /// The same; where git tells a host alone, with the path of what it fetches or pushes.
    ///
    /// - Parameter remote: What git fetches or pushes at a host.
    package func url(else remote: (_ host: String) -> ResourceURL?) -> CredentialURL? {
        guard let url, path.isEmpty, let remote = remote(url.address.host), remote.host == url.address.host else {
            return self.url
        }
        return CredentialURL(([url.text] + remote.path).joined(separator: "/")) ?? url
    }

    /// Whom the user means that the address names; nil for whoever is chosen.
    package var login: String? { url?.address.login(username) }

    /// Whether services take any token by this user name, so that it is nobody's.
    static func isPlaceholder(_ username: String) -> Bool { ResourceURL.isPlaceholder(username) }

    /// Whether the server takes a token at all, as far as it says.
    package var takesToken: Bool { form != nil }

    /// How a token is handed to git.
    enum Form { case password, basic, bearer }

    /// How a token is to be sent; nil where the server takes neither a bearer token nor a password.
    ///
    /// Servers that have both are given a bearer token. Of one that said nothing it is not known, and a password will do
    /// with all that are known.
    var form: Form? {
        let takes = (basic: challenges.contains("basic"), bearer: challenges.contains("bearer"))
        if takesSchemes, takes.bearer { return .bearer }
        if takesSchemes, takes.basic { return .basic }
        return challenges.isEmpty || takes.basic || takes.bearer ? .password : nil
    }
}
