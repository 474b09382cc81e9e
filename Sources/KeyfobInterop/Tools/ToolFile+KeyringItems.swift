internal import KeyfobModel
internal import KeyfobSodium

// What gh, git's helpers and Python's `keyring` keep in the desktop's keyring: an item for each password.

extension ToolFile {
    /// Reads the items of one tool; those of MSAL are caches, see ``KeyringTool/cache(in:)``.
    ///
    /// - Parameters:
    ///   - bytes: The secrets of all of them; needed again to get at the tokens.
    ///   - gitHubUsers: The user whose token gh uses at a host, which it keeps without a name.
    package init(
        _ tool: KeyringTool, _ items: [KeyringItem], lockedCount: Int, reading bytes: RawSpan,
        gitHubUsers: [String: String?], clientID: String?
    ) {
        let format: Format =
            switch tool {
            case .gh: .gh
            case .git, .msal: .gitCredentials
            case .python: .pythonKeyring
            }
        self.init(format, writtenAt: nil)
        var others = 0
        // The copy without a name comes last: most of the time its token is there under a name.
        for item in items.filter({ $0.attributes["username"] != "" })
            + items.filter({ $0.attributes["username"] == "" })
        {
            writtenAt = item.writtenAt
            switch tool {
            case .gh: readGitHubItem(item, gitHubUsers, bytes)
            case .git: readGitItem(item, clientID: clientID, bytes)
            case .python: if !readPythonItem(item, bytes) { others += 1 }
            case .msal: break
            }
        }
        if others > 0 { skip(.items(others), .noTokens) }
        if lockedCount > 0 { skip(.items(lockedCount), .locked) }
    }

    /// Reads an item of gh: `service` is `gh:` and the host, `username` the user, or empty for a copy of the token that is in use.
    private mutating func readGitHubItem(_ item: KeyringItem, _ users: [String: String?], _ bytes: RawSpan) {
        let name = String((item.attributes["service"] ?? "").dropFirst(3))
        let user = item.attributes["username"] ?? ""
        do throws(ToolFinding.Reason) {
            let environment = try Self.gitHubEnvironment(ofHost: name)
            if user.isEmpty, contents.accounts.contains(where: { $0.id.environment == environment }) { return }
            let owner = user.isEmpty ? users[name] ?? nil : user
            guard let owner, let account = named(owner, at: environment) else { throw .nobody }
            guard !item.secret.isEmpty else { throw .noToken }
            add(.accessToken, SecretLocation(plain: item.secret), of: account)
        } catch {
            skip(user.isEmpty ? .host(name) : .account(user, host: name), error)
        }
    }

    /// Reads an item of git-credential-libsecret or of Git Credential Manager.
    ///
    /// The first has `protocol`, `server`, `port` and `user`; the secret is the password, and in further lines when it ends
    /// and a refresh token, where git was told. The other has `service`, `git:` and an address, and `account`, the user.
    private mutating func readGitItem(_ item: KeyringItem, clientID: String?, _ bytes: RawSpan) {
        let isOfManager = KeyringTool.isOfGitManager(item.attributes)
        let user = item.attributes[isOfManager ? "account" : "user"] ?? ""
        let service = item.attributes["service"] ?? ""
        let port = item.attributes["port"].flatMap { Int($0) }.flatMap { $0 > 0 ? ":\($0)" : nil } ?? ""
        let address = item.attributes["server"].map { "https://" + $0 + port }
        let text = isOfManager ? String(service.drop { $0 != ":" }.dropFirst()) : address
        guard KeyringTool.git.keeps(item.attributes), let text else { return }
        do throws(ToolFinding.Reason) {
            guard let host = CredentialURL(text)?.address.host else { throw .badHost }
            let secret = GitSecret(item.secret, bytes)
            let password = SecretLocation(plain: secret.password)
            // What ends is of OAuth, whatever it looks like.
            let environment: String
            if secret.isOfOAuth {
                guard let owner = PasswordToken.environment(ofProvider: host) else { throw .foreignHost }
                environment = owner
            } else {
                environment = try PasswordToken.environment(of: password.secret(in: bytes), at: host)
            }
            guard let account = named(user, at: environment) else { throw .nobody }
            if !secret.password.isEmpty {
                add(
                    .accessToken, password, of: account, client: clientID ?? Credential.noClient,
                    until: secret.expiry)
            }
            guard let refreshToken = secret.refreshToken else { return }
            guard let clientID else { throw .noClient }
            add(.refreshToken, SecretLocation(plain: refreshToken), of: account, client: clientID)
        } catch {
            skip(user.isEmpty ? .host(text) : .account(user, host: text), error)
        }
    }

    /// Reads an item of Python's: `service` is what the program calls it, mostly an address, and `username` the user.
    ///
    /// - Returns: False for what is no token, or of no host.
    private mutating func readPythonItem(_ item: KeyringItem, _ bytes: RawSpan) -> Bool {
        guard let host = item.attributes["service"].flatMap({ CredentialURL($0) })?.address.host, host.contains("."),
            let user = item.attributes["username"]
        else { return false }
        let secret = SecretLocation(plain: item.secret)
        do throws(ToolFinding.Reason) {
            let environment = try PasswordToken.environment(of: secret.secret(in: bytes), at: host)
            guard let account = named(user, at: environment) else { throw .nobody }
            add(.accessToken, secret, of: account)
        } catch .notAToken {
            return false
        } catch {
            skip(.account(user, host: host), error)
        }
        return true
    }

    /// The account of a user by name; nil for a name that services take any token by.
    private mutating func named(_ user: String, at environment: String) -> AccountID? {
        GitCredentialRequest.isPlaceholder(user) ? nil : account(user, at: environment)
    }
}

/// What git-credential-libsecret has put into a secret.
private struct GitSecret {
    let password: Range<Int>
    private(set) var expiry: Timestamp?
    private(set) var refreshToken: Range<Int>?

    /// Whether the password is an access token.
    var isOfOAuth: Bool { expiry != nil || refreshToken != nil }

    init(_ secret: Range<Int>, _ bytes: RawSpan) {
        var line = Self.line(from: secret.lowerBound, of: secret, bytes)
        password = line
        while line.upperBound < secret.upperBound {
            line = Self.line(from: line.upperBound + 1, of: secret, bytes)
            func value(of name: String) -> Range<Int>? {
                let key = name + "="
                guard line.count > key.utf8.count, bytes.begins(with: key, at: line.lowerBound) else { return nil }
                return line.lowerBound + key.utf8.count..<line.upperBound
            }
            if let number = value(of: "password_expiry_utc") {
                let digits = String(validating: number.map { bytes.byte(at: $0) }, as: UTF8.self)
                expiry = digits.flatMap { Int64($0) }.map(Timestamp.init(seconds:))
            }
            if let token = value(of: "oauth_refresh_token") { refreshToken = token }
        }
    }

    private static func line(from start: Int, of secret: Range<Int>, _ bytes: RawSpan) -> Range<Int> {
        start..<(bytes.first(of: "\n", in: start..<secret.upperBound) ?? secret.upperBound)
    }
}
