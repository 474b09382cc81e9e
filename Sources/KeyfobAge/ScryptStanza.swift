internal import KeyfobSodium

/// The file key, wrapped under a passphrase (C2SP age, "The scrypt recipient type").
struct ScryptStanza: Equatable, Sendable {
    static let type = "scrypt"
    /// The length of a salt in bytes.
    static let saltCount = 16
    private static let label = Array("age-encryption.org/v1/scrypt".utf8)

    private let salt: [UInt8]
    /// The base-two logarithm of the work factor; `Int.max` where it does not fit.
    private let workFactor: Int
    private let wrapped: WrappedFileKey

    /// Reads a stanza of this type.
    ///
    /// - Throws: `malformedHeader` with `scryptArguments` or `wrappedKeySize`.
    init(_ stanza: Stanza) throws(AgeError) {
        guard stanza.arguments.count == 3,
            let salt = Base64.unpadded.decode(stanza.arguments[1].utf8), salt.count == Self.saltCount,
            let workFactor = Self.workFactor(Array(stanza.arguments[2].utf8))
        else { throw .malformedHeader(.scryptArguments) }
        self.salt = salt
        self.workFactor = workFactor
        self.wrapped = try WrappedFileKey(body: stanza.body)
    }

    /// Wraps `fileKey` under `passphrase` with a salt (16 bytes) that is used nowhere else.
    ///
    /// - Throws: `outOfMemory`.
    init(
        wrapping fileKey: borrowing SecretBytes, under passphrase: borrowing SecretBytes,
        salt: [UInt8], workFactor: Int
    ) throws(AgeError) {
        precondition(salt.count == Self.saltCount && (1...Age.acceptedWorkFactor).contains(workFactor))
        self.salt = salt
        self.workFactor = workFactor
        let wrapKey = try Self.wrapKey(passphrase, salt: salt, workFactor: workFactor)
        self.wrapped = WrappedFileKey(fileKey, under: wrapKey)
    }

    var stanza: Stanza {
        Stanza([Self.type, Base64.unpadded.text(salt), String(workFactor)], body: wrapped.bytes)
    }

    /// The file key, or `nil` where the passphrase is another.
    ///
    /// - Throws: `workFactorTooHigh`, before anything is computed; `outOfMemory`.
    func unwrap(passphrase: borrowing SecretBytes) throws(AgeError) -> SecretBytes? {
        guard workFactor <= Age.acceptedWorkFactor else {
            throw .workFactorTooHigh(given: workFactor, limit: Age.acceptedWorkFactor)
        }
        return wrapped.unwrap(with: try Self.wrapKey(passphrase, salt: salt, workFactor: workFactor))
    }

    private static func wrapKey(
        _ passphrase: borrowing SecretBytes, salt: [UInt8], workFactor: Int
    ) throws(AgeError) -> SecretBytes {
        do {
            return try Scrypt.derive(
                passphrase: passphrase, salt: label + salt, cost: Scrypt.Cost(logarithm: workFactor))
        } catch {
            throw .outOfMemory
        }
    }

    /// The number that `digits` are, if there are only digits and no leading zero.
    private static func workFactor(_ digits: [UInt8]) -> Int? {
        guard let first = digits.first, first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
