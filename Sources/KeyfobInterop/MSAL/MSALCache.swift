package import KeyfobModel

/// What was found in a unified token cache, as all MSAL libraries write it.
///
/// Secrets are not in here: a ``SecretLocation`` says where in the source each one is.
package struct MSALCache: Sendable {
    /// The accounts in the order of their first entity, then those known from their tokens only.
    package var accounts: [Account] = []
    /// How many of ``accounts`` have no entity of their own and are known from their tokens only.
    package var accountsWithoutEntity = 0
    /// The tokens.
    package var credentials: [StoredCredential] = []
    /// What is known of the clients.
    package var appMetadata: [AppMetadata] = []
    /// What Keyfob does not know: to be written back as it is.
    package var foreign: [MSALForeignNode] = []
    /// The entities left out, each with the reason.
    package var skipped: [MSALFinding] = []
    /// What was changed about entities that were not left out.
    package var remarks: [MSALFinding] = []

    /// A token's metadata, and where the token is.
    package struct StoredCredential: Hashable, Sendable {
        /// What is known of the token.
        package let credential: Credential
        /// Where the token is.
        package let secret: SecretLocation
    }

    /// Reads a cache.
    ///
    /// Entities are read by their fields, never by their keys. What makes no sense is left out and
    /// told in ``skipped``; the rest is read. `bytes` is needed again to get at the secrets.
    package init(reading bytes: RawSpan, limits: MSALLimits = MSALLimits()) throws(MSALCacheError) {
        let tape: JSONTape
        do {
            tape = try JSONTape(reading: bytes, limits: limits.json)
        } catch {
            throw MSALCacheError(error)
        }
        guard tape.kind(of: tape.root) == .object else { throw .notACache(.notAnObject) }
        var reader = MSALCacheReader(tape: tape, limits: limits, bytes)
        try reader.read(bytes)
        self = reader.cache()
    }

    init() {}
}
