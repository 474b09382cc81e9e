internal import KeyfobModel
internal import KeyfobSodium

extension ClientRegistration {
    /// What is known besides the id, as a JSON text, with a digest of its secret.
    ///
    /// So who may decide on the client decides on its secret too: the owner's MAC of one is that of both.
    func json(secret: borrowing SecretBytes) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("formatVersion")
        writer.integer(1)
        writer.member("name", name)
        writer.member("redirectURIs", redirectURIs)
        writer.member("scopes", scopes.scopes)
        writer.member("authentication", authentication.rawValue)
        writer.member("registeredAt", registeredAt)
        writer.member("keyID", keyID)
        writer.member("keyAlgorithm", keyAlgorithm)
        writer.member("keyType", keyType)
        writer.member("certificateDigest", certificateDigest)
        if secret.count > 0 { writer.member("secretDigest", Self.digest(of: secret)) }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Whether a secret is the one that the text, which ``json(secret:)`` wrote, was written with.
    static func isSecret(_ secret: borrowing SecretBytes, of json: String) -> Bool {
        let digest = digest(of: secret)
        return Array(json.utf8).withBytes { bytes in
            guard let tape = try? JSONTape(reading: bytes, limits: limits),
                let member = tape.member("secretDigest", of: tape.root, in: bytes)
            else { return false }
            return tape.string(of: member, in: bytes) == digest
        }
    }

    private static func digest(of secret: borrowing SecretBytes) -> String {
        Base64.standard.text(secret.withBytes { BLAKE2b.hash($0, count: 32) })
    }

    private static let limits = JSONLimits(size: 1 << 18, depth: 8)

    /// The client with this id and what ``json(secret:)`` wrote; nil where that makes no sense.
    init?(id: String, json: String) {
        let limits = Self.limits
        let read = Array(json.utf8).withBytes { bytes -> ClientRegistration? in
            guard let tape = try? JSONTape(reading: bytes, limits: limits) else { return nil }
            func text(_ name: String) -> String? {
                tape.member(name, of: tape.root, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
            }
            func list(_ name: String) -> [String] {
                guard let array = tape.member(name, of: tape.root, in: bytes) else { return [] }
                return tape.elements(of: array).compactMap { tape.string(of: $0, in: bytes) }
            }
            guard let version = tape.member("formatVersion", of: tape.root, in: bytes),
                tape.raw(version, in: bytes) == "1",
                let authentication = text("authentication").flatMap(Authentication.init(rawValue:))
            else { return nil }
            var client = ClientRegistration(
                id: id, name: text("name"), redirectURIs: list("redirectURIs"), scopes: ScopeSet(list("scopes")),
                authentication: authentication)
            client.registeredAt = text("registeredAt")
            (client.keyID, client.keyAlgorithm) = (text("keyID"), text("keyAlgorithm"))
            (client.keyType, client.certificateDigest) = (text("keyType"), text("certificateDigest"))
            return client
        }
        guard let read, read.problem == nil else { return nil }
        self = read
    }
}
