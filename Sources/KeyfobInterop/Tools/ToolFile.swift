package import KeyfobModel
package import KeyfobSodium

/// What was found in a file in which another tool keeps tokens, in the form in which MSAL's caches are imported.
///
/// People are known by the names that the tool has for them: an account's id is its name in small letters, unless the
/// file tells it. Secrets are not in here: see ``MSALCache``.
package struct ToolFile: Sendable {
    /// Whose file it is.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case gh, gcloud, docker, kubeconfig
        case gitCredentials = "git-credentials"
        case oidcAgent = "oidc-agent"
        case mutt = "mutt-oauth2"
        case pythonKeyring = "python-keyring"
        case gcloudDatabase = "gcloud-database"
        case pizauth
    }

    /// A client by whose secret refresh tokens are redeemed.
    package struct Client: Hashable, Sendable {
        /// Its id.
        package let id: String
        /// The environment of its provider.
        package let environment: String
        /// Where its secret is.
        package let secret: SecretLocation
    }

    /// What the file does not tell.
    package struct Surroundings {
        /// When the file was written, in place of when its tokens came; nil where nobody knows.
        var writtenAt: Timestamp?
        /// The client of tokens that name none.
        var clientID: String?
        /// How many seconds the clock on the wall was ahead of UTC at a moment.
        var utcOffset: (Timestamp) -> Int64

        /// Surroundings of a file.
        package init(
            writtenAt: Timestamp? = nil, clientID: String? = nil, utcOffset: @escaping (Timestamp) -> Int64 = { _ in 0 }
        ) {
            self.writtenAt = writtenAt
            self.clientID = clientID
            self.utcOffset = utcOffset
        }
    }

    /// Whose file it is.
    package let format: Format
    /// Accounts and tokens.
    package private(set) var contents = MSALCache()
    /// The clients with a secret.
    package private(set) var clients: [Client] = []
    /// What was left out, with the reason.
    package private(set) var findings: [ToolFinding] = []
    /// When it was written, in place of when the tokens came that are added.
    var writtenAt: Timestamp?
    private var names: [AccountID: String] = [:]
    private var tokens: Set<TokenKey> = []

    /// What a file has one token for.
    private struct TokenKey: Hashable {
        let kind: Credential.Kind
        let account: AccountID
        let client: String
    }

    /// Whose file the bytes are; nil for nobody's, and for what is encrypted or damaged.
    package static func format(of bytes: RawSpan) -> Format? {
        switch try? ToolFileShape(bytes) {
        case .value(_, let format): format
        case .lines: .gitCredentials
        case .dump: .pizauth
        case nil:
            switch try? opened(bytes) {
            case .some(let opened): opened.withBytes { format(of: $0) }
            case nil: nil
            }
        }
    }

    /// What is in a file that has to be opened before it is read: gcloud's databases, and what pizauth dumps; nil for
    /// another.
    ///
    /// - Throws: for a database that cannot be read, and a dump of a version that is not known.
    package static func opened(_ bytes: RawSpan) throws(ToolFileError) -> SecretBytes? {
        bytes.begins(with: SQLiteTable.magic) ? try GoogleDatabase.text(bytes) : try PizauthDump.opened(bytes)
    }

    /// Nothing yet.
    init(_ format: Format, writtenAt: Timestamp?) {
        (self.format, self.writtenAt) = (format, writtenAt)
    }

    /// Reads a file of another tool, or what was in it (``opened(_:)``); nil for what is none.
    ///
    /// `bytes` is needed again to get at the secrets.
    package init?(reading bytes: RawSpan, _ surroundings: Surroundings = Surroundings()) throws(ToolFileError) {
        guard let shape = try ToolFileShape(bytes) else { return nil }
        switch shape {
        case .lines:
            self.init(.gitCredentials, writtenAt: surroundings.writtenAt)
            readGitCredentials(bytes)
        case .dump:
            self.init(.pizauth, writtenAt: surroundings.writtenAt)
            try readPizauthDump(bytes)
        case .value(let value, let format):
            self.init(format, writtenAt: surroundings.writtenAt)
            switch format {
            case .gh: readGitHubHosts(value, bytes)
            case .gcloud: try readGoogleCredentials(value, bytes)
            case .docker: readDockerConfiguration(value, bytes)
            case .kubeconfig: readKubeconfig(value, bytes)
            case .oidcAgent: try readAgentAccount(value, bytes)
            case .mutt: try readMailToken(value, surroundings, bytes)
            case .gcloudDatabase: readGoogleDatabase(value, bytes)
            case .gitCredentials, .pythonKeyring, .pizauth: break
            }
        }
    }

    // MARK: What readers add

    mutating func skip(_ place: ToolFinding.Place, _ reason: ToolFinding.Reason) {
        findings.append(ToolFinding(place: place, reason: reason))
    }

    /// The account of a person at an environment; nil where the name is none.
    mutating func account(_ name: String, id: String? = nil, at environment: String) -> AccountID? {
        let home = id ?? Identifier.folded(name)
        guard Identifier.isAcceptable(name), let id = AccountID(homeAccountID: home, environment: environment) else {
            return nil
        }
        if names.updateValue(name, forKey: id) == nil {
            let profile = TenantProfile(realm: "", localAccountID: home, environment: environment, username: name)
            contents.accounts.append(Account(id: id, username: name, tenantProfiles: [profile]))
        }
        return id
    }

    mutating func add(
        _ kind: Credential.Kind, _ secret: SecretLocation, of account: AccountID, client: String = Credential.noClient,
        scopes: ScopeSet = [], until expiry: Timestamp? = nil
    ) {
        let credential = Credential(
            kind: kind, account: account, clientID: client, scopes: kind == .idToken ? [] : scopes,
            cachedAt: writtenAt, expiresOn: expiry, grant: kind == .refreshToken ? Grant() : nil)
        guard tokens.insert(TokenKey(kind: kind, account: account, client: client)).inserted else {
            return skip(.account(names[account] ?? "", host: account.environment), .repeated)
        }
        contents.credentials.append(MSALCache.StoredCredential(credential: credential, secret: secret))
    }

    mutating func add(client id: String, secret: SecretLocation?, at environment: String) {
        guard let secret else { return }
        clients.append(Client(id: id, environment: environment, secret: secret))
    }
}

/// Something that was left out of an import of another tool's file.
package struct ToolFinding: Hashable, Sendable, CustomStringConvertible {
    /// Which part of the file it is about.
    package enum Place: Hashable, Sendable {
        case line(Int)
        case host(String)
        case user(String)
        case account(String, host: String)
        /// This many items of the desktop's keyring, which are of no interest one by one.
        case items(Int)
    }

    /// Why it was left out.
    package enum Reason: Error, Hashable, Sendable {
        case unended, notACredential, notAToken, tokenOfAnother, nobody, badHost, insecure, foreignHost, noRegistry
        case repeated, registryToken, noCluster, program, certificate, tokenFile, noToken, badIssuer, noClient,
            badBase64, noTokens, locked, noPerson, otherCloud, otherEndpoint
        /// A token that the tool keeps in the desktop's keyring, and what prints it.
        case inKeyring(command: [String])
        /// What docker keeps by another helper.
        case withHelper(String)
    }

    /// Which part of the file it is about.
    package let place: Place
    /// Why it was left out.
    package let reason: Reason

    package var description: String {
        let place =
            switch place {
            case .line(let number): "line \(number)"
            case .host(let host): host
            case .user(let name): "user '\(name)'"
            case .account(let name, let host): "\(name) at \(host)"
            case .items(1): "1 item"
            case .items(let count): "\(count) items"
            }
        return "\(place): \(reason)"
    }
}

extension ToolFinding.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unended: "it does not end; if a program was writing the file, try again"
        case .notACredential: "it is not an address with a user and a password"
        case .notAToken: "its password does not look like a token"
        case .tokenOfAnother: "its token is not one of the provider that runs the host"
        case .nobody: "it does not say whose token it is"
        case .badHost: "there is no such host"
        case .insecure: "the token is for plain http"
        case .foreignHost: "the host is one of another provider's"
        case .noRegistry: "the registry is of no provider whose tokens are known"
        case .repeated: "another token of the account stands before this one"
        case .registryToken: "its token is for that registry alone"
        case .noCluster: "no context says for which cluster its token is"
        case .program: "a program brings its tokens, and goes on doing so"
        case .certificate: "it signs in by a certificate"
        case .tokenFile: "its token is in a file of its own, which others replace"
        case .noToken: "it has no token"
        case .badIssuer: "its issuer is not an https address, or is that of a service"
        case .noClient: "its refresh token names no client, without which nothing redeems it"
        case .noTokens: "what does not look like a token, or is kept for no host, is left alone"
        case .noPerson: "its credentials are of no person"
        case .otherCloud: "its credentials are for another cloud than Google's own"
        case .otherEndpoint: "its token endpoint is not one of the provider that it signs in at"
        case .locked: "locked, and nobody could be asked"
        case .badBase64: "it is damaged: no base64 of a user and a password"
        case .inKeyring: "its token is in the desktop's keyring"
        case .withHelper(let name): "its credentials are with docker-credential-\(name)"
        }
    }
}

/// Why a file of another tool was not read; no case holds any of it but names of its own.
package enum ToolFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who has encrypted a file.
    package enum Encryption: Hashable, Sendable {
        case oidcAgent, gnuPG
    }

    /// What Google's libraries read besides the credentials of a person.
    package enum GoogleKind: String, Hashable, Sendable {
        case serviceAccount = "service_account"
        case impersonated = "impersonated_service_account"
        case external = "external_account"
        case externalPerson = "external_account_authorized_user"
        case onPremises = "gdch_service_account"
    }

    case encrypted(Encryption)
    /// A database that is none of gcloud's, or damaged.
    case database
    /// A dump of pizauth's that does not hold what it should.
    case damagedDump
    /// What is wrong in a line, from 1.
    case malformed(line: Int, String)
    case noPerson(GoogleKind?)
    case otherUniverse
    case otherTokenEndpoint
    /// A field is missing, empty, or nothing that can stand there.
    case missing(String)

    package var description: String {
        switch self {
        case .encrypted(.oidcAgent): "the file is an account of oidc-agent's, which has encrypted it"
        case .encrypted(.gnuPG): "the file is encrypted with GnuPG"
        case .database:
            "the file is a database (SQLite) that is none of gcloud's, or is damaged; if gcloud was writing it, try again"
        case .damagedDump: "the file is what pizauth dumps, and damaged or of a version that is not known"
        case .malformed(let line, let what): "the file is not read beyond line \(line): \(what)"
        case .noPerson(let kind):
            "the file holds credentials of Google's that are of no person" + (kind.map { " (\($0.rawValue))" } ?? "")
        case .otherUniverse: "the file holds credentials of another cloud than Google's own (universe_domain)"
        case .otherTokenEndpoint: "the file names another token endpoint than Google's own (token_uri)"
        case .missing(let field): "the file has no \(field), or one that nothing can be called"
        }
    }
}
