/// Why an ID token is not accepted; no case holds any of it.
package enum IDTokenFlaw: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not three parts of base64url.
    case notAToken
    /// A header or claims that are not what they should be.
    case malformed(ProtocolViolation)
    /// No signature, or one by an algorithm the provider does not use.
    case algorithmRefused
    /// An extension that must be understood and is not (RFC 7515, section 4.1.11).
    case criticalExtension
    /// Another issuer.
    case otherIssuer
    /// For another client.
    case otherAudience
    /// For another request.
    case otherNonce
    /// It has expired.
    case expired
    /// From the future, by more than the skew.
    case notYetValid
    /// About another subject than before the refresh.
    case otherSubject
    /// None of the provider's keys has the id that the token names and is a sound key for its algorithm.
    case unknownKey
    /// The signature is not by the provider's key.
    case badSignature
    /// Nobody knows: this machine has no library that checks signatures.
    case noSignatureLibrary

    package var description: String {
        switch self {
        case .notAToken: "the ID token is not written as one"
        case .malformed(let violation): "in the ID token, \(violation)"
        case .algorithmRefused: "the ID token is not signed as the provider signs"
        case .criticalExtension: "the ID token needs an extension that is not known"
        case .otherIssuer: "the ID token is from another issuer"
        case .otherAudience: "the ID token is for another client"
        case .otherNonce: "the ID token is for another request"
        case .expired: "the ID token has expired"
        case .notYetValid: "the ID token is from the future; check this machine's clock"
        case .otherSubject: "the ID token is about somebody else than before"
        case .unknownKey: "the ID token is signed with a key that the provider does not name, or one that is not safe"
        case .badSignature: "the signature of the ID token is wrong"
        case .noSignatureLibrary:
            "the signature of the ID token cannot be checked: libcrypto of OpenSSL 3 is not installed"
        }
    }
}
