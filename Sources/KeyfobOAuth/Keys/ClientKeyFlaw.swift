/// Why a text is no private key of a client; no case holds any of it.
package enum ClientKeyFlaw: String, Error, Hashable, Sendable, CustomStringConvertible {
    case noKey = "it holds no private key in PEM or JWK"
    case severalKeys = "it holds more than one private key"
    case encrypted = "the private key is encrypted"
    case malformed = "the private key is damaged"
    case unsupported = "the private key is neither of RSA, P-256, P-384, P-521 nor Ed25519"
    case weak = "the private key of RSA has fewer than 2048 bits"
    case noCertificate = "it holds no certificate"
    case otherCertificate = "its first certificate is not that of the private key"
    case tooLong = "it is longer than 32768 bytes"

    package var description: String { rawValue }
}
