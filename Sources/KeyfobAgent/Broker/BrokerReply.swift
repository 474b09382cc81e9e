internal import Keyfob
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// What another program's broker has answered: one JSON object.
struct BrokerReply {
    private let tape: JSONTape

    private static let limits = JSONLimits(size: 1 << 20, depth: 16, stringCount: 256 << 10, nodes: 32_768)
    private static let accountLimit = 1_000
    private static let textLimit = 300

    /// - Throws: `damaged` for what is no such object.
    init(reading bytes: RawSpan) throws(KeyringError) {
        do {
            tape = try JSONTape(reading: bytes, limits: Self.limits)
        } catch {
            throw Self.unreadable("it is no JSON, or too much of it")
        }
        guard tape.kind(of: tape.root) == .object else { throw Self.unreadable("it is no JSON object") }
    }

    private static func unreadable(_ why: String) -> KeyringError {
        KeyringError(.damaged, "the identity broker's answer cannot be used: \(why)")
    }

    // MARK: What it says

    func version(_ bytes: RawSpan) -> String? {
        text("linuxBrokerVersion", of: tape.root, bytes).flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }

    /// - Throws: `damaged`, and what the broker says in their place.
    func accounts(_ bytes: RawSpan) throws(KeyringError) -> [SessionBrokerAccount] {
        try requireNoError(bytes)
        guard let list = member("accounts", of: tape.root, bytes), tape.kind(of: list) == .array else {
            throw Self.unreadable("'accounts' is missing")
        }
        var accounts: [SessionBrokerAccount] = []
        for element in tape.elements(of: list) {
            guard accounts.count < Self.accountLimit else {
                throw Self.unreadable("it has more than \(Self.accountLimit) accounts")
            }
            guard tape.kind(of: element) == .object, let home = text("homeAccountId", of: element, bytes),
                let environment = text("environment", of: element, bytes),
                let id = AccountID(homeAccountID: home, environment: environment),
                EnvironmentAliases.isMicrosoft(environment)
            else { throw Self.unreadable("account \(accounts.count + 1) has no id at one of Microsoft's clouds") }
            accounts.append(
                SessionBrokerAccount(
                    id: id, username: text("username", of: element, bytes),
                    displayName: text("name", of: element, bytes),
                    realm: text("realm", of: element, bytes).flatMap { Authority.isGUID($0) ? $0 : nil },
                    json: tape.raw(element, in: bytes)))
        }
        return accounts
    }

    /// - Throws: `damaged`, and what the broker says in its place.
    func token(
        of account: SessionBrokerAccount, now: Timestamp, _ bytes: RawSpan
    ) throws(KeyringError) -> SessionBrokerToken {
        try requireNoError(bytes)
        guard let response = member("brokerTokenResponse", of: tape.root, bytes), tape.kind(of: response) == .object
        else { throw Self.unreadable("'brokerTokenResponse' is missing") }
        guard let secret = secret("accessToken", of: response, bytes), secret.count > 0 else {
            throw Self.unreadable("there is no token in it")
        }
        guard secret.isHeaderValue else { throw Self.unreadable("the token holds control characters") }
        guard number("accessTokenType", of: response, bytes) ?? 0 == 0 else {
            throw Self.unreadable("the token is bound to a key of that program")
        }
        guard let milliseconds = number("expiresOn", of: response, bytes), milliseconds / 1_000 > now.seconds,
            milliseconds / 1_000 < 253_402_300_800
        else { throw Self.unreadable("the token has expired, or nothing says when it does") }
        guard let encoded = self.secret("clientInfo", of: response, bytes), let info = ClientInfo(encoded: encoded)
        else { throw Self.unreadable("it does not say whose token it is") }
        guard Identifier.folded(info.homeAccountID) == Identifier.folded(account.id.homeAccountID) else {
            throw Self.unreadable("the token is another account's")
        }
        let scopes = text("grantedScopes", of: response, bytes) ?? ""
        return SessionBrokerToken(
            secret: secret, account: account, scopes: ScopeSet(scopes.split(separator: " ").map(String.init)),
            expiresOn: Timestamp(seconds: milliseconds / 1_000))
    }

    private func requireNoError(_ bytes: RawSpan) throws(KeyringError) {
        let response = member("brokerTokenResponse", of: tape.root, bytes)
        guard let error = response.flatMap({ member("error", of: $0, bytes) }) ?? member("error", of: tape.root, bytes)
        else { return }
        let status = number("status", of: error, bytes) ?? 0
        let context = member("context", of: error, bytes).flatMap { tape.string(of: $0, in: bytes) } ?? ""
        throw BrokerComplaint(status: status, text: String(context.prefix(Self.textLimit))).error
    }

    // MARK: Members

    private func member(_ name: String, of object: JSONTape.Value, _ bytes: RawSpan) -> JSONTape.Value? {
        guard tape.kind(of: object) == .object, let value = tape.member(name, of: object, in: bytes),
            tape.kind(of: value) != .null
        else { return nil }
        return value
    }

    /// A text that is no secret; nil where it is missing, or none that could name something.
    private func text(_ name: String, of object: JSONTape.Value, _ bytes: RawSpan) -> String? {
        let text = member(name, of: object, bytes).flatMap { tape.string(of: $0, in: bytes) }
        return text.flatMap { Identifier.isAcceptable($0) ? $0 : nil }
    }

    private func secret(_ name: String, of object: JSONTape.Value, _ bytes: RawSpan) -> SecretBytes? {
        guard let text = member(name, of: object, bytes).flatMap({ tape.text(of: $0) }) else { return nil }
        return SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
            text.decode(from: bytes, into: &output)
        }
    }

    private func number(_ name: String, of object: JSONTape.Value, _ bytes: RawSpan) -> Int64? {
        guard let value = member(name, of: object, bytes), tape.range(of: value).count <= 20 else { return nil }
        return Int64(tape.string(of: value, in: bytes) ?? tape.raw(value, in: bytes))
    }
}

/// Why another program's broker gives nothing, as it says.
struct BrokerComplaint {
    let status: Int64
    /// Its own words.
    let text: String

    /// As an error, with the name of the status that docs/broker.md lists.
    var error: KeyringError {
        let (code, name): (KeyringError.Code, String) =
            switch status {
            case 2: (.signInNeeded, "interaction required")
            case 3: (.offline, "no network")
            case 4: (.offline, "network not available for the moment")
            case 5: (.throttled, "server not available for the moment")
            case 6: (.requestRefused, "contract violation")
            case 7: (.cancelled, "user cancelled")
            case 8: (.cancelled, "application cancelled")
            case 9: (.configuration, "incorrect configuration")
            case 11: (.requestRefused, "authority untrusted")
            case 13: (.signInNeeded, "account unusable")
            case 15: (.busy, "transient error")
            case 17: (.policyNotMet, "device not registered")
            case 18: (.policyNotMet, "key not found")
            case 19: (.noSuchAccount, "account not found")
            case 21: (.notOffered, "fall back to native MSAL")
            default: (.providerFailed, "unexpected error")
            }
        let words = text.isEmpty ? "" : ": \(text)"
        return KeyringError(code, "the identity broker says '\(name)' (status \(status))\(words)")
    }
}
