internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

// What a client shows to say who it is: a secret, or what it signs by a private key.

extension ClientRegistration {
    /// What is wrong with what is said of its key; nil where nothing is.
    var keyProblem: String? {
        guard keyID != nil || keyAlgorithm != nil || keyType != nil else { return nil }
        guard authentication.isByKey else { return "a client without a private key has no id or algorithm of one" }
        guard keyID.map({ Identifier.isAcceptable($0) && $0.utf8.count <= Self.idLimit }) ?? true else {
            return "the id of the client's key is blank, longer than \(Self.idLimit) bytes, or holds control characters"
        }
        guard let keyAlgorithm else { return nil }
        let kind = keyType.flatMap(ClientKey.Kind.init(rawValue:))
        let known = kind.map { [$0] } ?? ClientKey.Kind.allCases
        guard known.contains(where: { $0.algorithms.contains(keyAlgorithm) }) else {
            return "the client's key does not sign by '\(keyAlgorithm)': "
                + (kind.map { "a key of \($0.rawValue) does by " } ?? "keys do by ")
                + known.flatMap(\.algorithms).joined(separator: ", ")
        }
        return nil
    }

    /// Takes note of a private key, and gives it as it is kept.
    ///
    /// - Throws: `damaged` for what is none, `usage` for one that does not sign as is said.
    mutating func takeKey(_ text: borrowing SecretBytes) throws(KeyringError) -> SecretBytes {
        let key = try Self.key(in: text)
        keyType = key.kind.rawValue
        certificateDigest = key.certificateDigest
        switch authentication {
        case .certificate:
            do throws(ClientKeyFlaw) {
                try key.requireCertificate()
            } catch {
                throw KeyringError(.damaged, "the client's certificate cannot be used: \(error)")
            }
        default:
            keyID = keyID ?? key.keyID
            keyAlgorithm = keyAlgorithm ?? key.algorithm
        }
        if let problem { throw KeyringError(.usage, problem) }
        return key.pem()
    }

    private static func key(in text: borrowing SecretBytes) throws(KeyringError) -> ClientKey {
        do throws(ClientKeyFlaw) {
            return try ClientKey(reading: text)
        } catch {
            throw KeyringError(.damaged, "the client's key cannot be used: \(error)")
        }
    }

    /// The client for requests, with its secret, its key or its certificate.
    ///
    /// - Throws: `damaged` where there is no certificate any more.
    func oauthClient(_ secret: consuming SecretBytes) throws(KeyringError) -> OAuthClient {
        switch authentication {
        case .none: return OAuthClient(id: id)
        case .post: return OAuthClient(id: id, secret: secret, authentication: .post)
        case .basic: return OAuthClient(id: id, secret: secret, authentication: .basic)
        case .certificate:
            guard let identity = ClientIdentity(pem: secret) else {
                throw KeyringError(
                    .damaged, "the certificate of client '\(id)' cannot be used", advice: .addClientSecret)
            }
            return OAuthClient(id: id, identity: identity)
        case .signed:
            let kind = keyType.flatMap(ClientKey.Kind.init(rawValue:)) ?? .rsa
            return OAuthClient(
                id: id, key: secret,
                signing: ClientSigning(
                    kind, keyID: keyID, algorithm: keyAlgorithm, certificateDigest: certificateDigest))
        }
    }
}

extension ClientRegistration.Authentication {
    /// Whether it is by a private key.
    public var isByKey: Bool {
        switch self {
        case .none, .post, .basic: false
        case .signed, .certificate: true
        }
    }

    init(_ authentication: OAuthClient.Authentication) {
        switch authentication {
        case .none: self = .none
        case .post: self = .post
        case .basic: self = .basic
        case .signed: self = .signed
        case .certificate: self = .certificate
        }
    }
}
