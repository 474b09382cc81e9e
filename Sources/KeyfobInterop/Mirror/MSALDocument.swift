package import KeyfobModel
internal import KeyfobSodium

/// A token cache, and where in its text each entry is that Keyfob knows: so that some can change and all else stays.
package struct MSALDocument: Sendable {
    /// An entry.
    package struct Entry: Sendable {
        /// What it is for: the same in every cache, however its key is written there.
        package let key: MirrorDigest
        /// What it says.
        package let content: Content
        /// Tells it from what it said before; of a token, from the token alone.
        package let digest: MirrorDigest
        let section: MSALSection
        /// Its number in its section, from 1.
        let ordinal: Int
        /// Whether another entry of the cache says the same and is to be preferred.
        let isSuperseded: Bool
    }

    /// What an entry says.
    package enum Content: Sendable {
        case token(MSALCache.StoredCredential)
        case profile(AccountID, TenantProfile)
        case client(AppMetadata)
    }

    /// Tells the text from what it was before.
    let digest: MirrorDigest
    let tape: JSONTape
    /// What is in it.
    package private(set) var cache: MSALCache
    /// The entries that Keyfob knows, those that are superseded among them.
    package private(set) var entries: [Entry]

    /// Reads a cache; one of nothing is one without entries.
    package init(reading bytes: RawSpan) throws(MSALCacheError) {
        let limits = MSALLimits()
        digest = MirrorDigest(hashing: bytes)
        do {
            tape = try JSONTape(reading: bytes, limits: limits.json)
        } catch {
            throw MSALCacheError(error)
        }
        guard tape.kind(of: tape.root) == .object else { throw .notACache(.notAnObject) }
        var reader = MSALCacheReader(tape: tape, limits: limits, bytes)
        do throws(MSALCacheError) {
            try reader.read(bytes)
        } catch {
            guard error == .notACache(.empty) else { throw error }
        }
        cache = reader.cache()
        entries = reader.documentEntries(bytes)
    }
}

extension MSALDocument {
    /// The clients whose tokens are in it.
    package var clients: Set<String> {
        Set(cache.credentials.map(\.credential.clientID) + cache.appMetadata.map(\.clientID))
    }

    /// The same without the tokens of other clients, which nothing is done with: they stay in the text as they are.
    ///
    /// - Parameter names: The clients; refresh tokens of a family are any client's of it.
    package func restricted(to names: [String]) -> MSALDocument {
        let names = Set(names.map(Identifier.folded))
        func isOurs(_ credential: Credential) -> Bool {
            names.contains(Identifier.folded(credential.clientID))
                || credential.kind == .refreshToken && credential.familyID != nil
        }
        var copy = self
        copy.cache.credentials.removeAll { !isOurs($0.credential) }
        copy.cache.appMetadata.removeAll { !names.contains(Identifier.folded($0.clientID)) }
        copy.entries.removeAll { entry in
            switch entry.content {
            case .token(let token): !isOurs(token.credential)
            case .profile: false
            case .client(let client): !names.contains(Identifier.folded(client.clientID))
            }
        }
        return copy
    }
}

extension MSALDocument.Entry {
    /// Whose it is; nil for what is known of a client.
    package var account: AccountID? {
        switch content {
        case .token(let token): token.credential.account
        case .profile(let id, _): id
        case .client: nil
        }
    }

    /// The token, where it is one.
    package var token: MSALCache.StoredCredential? { if case .token(let token) = content { token } else { nil } }

    /// Whether it says how a tenant knows an account.
    package var isProfile: Bool { if case .profile = content { true } else { false } }
}

extension MSALCacheReader {
    fileprivate func documentEntries(_ bytes: RawSpan) -> [MSALDocument.Entry] {
        var found: [MSALDocument.Entry] = []
        func add<Element>(
            _ roster: MSALRoster<Element>, _ identity: (Element) -> String,
            _ content: (Element) -> (MSALDocument.Content, MirrorDigest)
        ) {
            for (entries, isSuperseded) in [(roster.entries, false), (roster.superseded, true)] {
                for entry in entries {
                    let (content, digest) = content(entry.element)
                    found.append(
                        MSALDocument.Entry(
                            key: MirrorDigest(entry.section.rawValue, identity(entry.element)), content: content,
                            digest: digest, section: entry.section, ordinal: entry.ordinal,
                            isSuperseded: isSuperseded))
                }
            }
        }
        add(credentials) {
            Self.mirrorIdentity(of: $0.credential)
        } _: { element in
            let secret = element.secret.secret(in: bytes)
            return (.token(element), secret.withBytes { MirrorDigest(hashing: $0) })
        }
        add(profiles) {
            $0.id.canonical + "\u{0}" + Identifier.folded($0.profile.realm)
        } _: { element in
            let profile = element.profile
            let parts = [profile.localAccountID, profile.username, profile.displayName ?? ""]
            return (.profile(element.id, profile), MirrorDigest(parts))
        }
        add(appMetadata) {
            EnvironmentAliases.canonicalName(of: $0.environment) + "\u{0}" + Identifier.folded($0.clientID)
        } _: { metadata in
            let family = if case .member(let family) = metadata.family { family } else { "" }
            return (.client(metadata), MirrorDigest(family))
        }
        return found
    }

    /// The same for credentials that are for the same, by whichever name of their provider.
    private static func mirrorIdentity(of credential: Credential) -> String {
        var credential = credential
        let environment = EnvironmentAliases.canonicalName(of: credential.account.environment)
        let id = AccountID(homeAccountID: credential.account.homeAccountID, environment: environment)
        if let id { credential.account = id }
        return identity(of: credential)
    }
}
