/// Why a header was refused (C2SP age, "Header" and "Native recipient types").
package enum HeaderFlaw: Equatable, Sendable {
    /// The first line is not exactly `age-encryption.org/v1`.
    case versionLine
    /// A line that should open a stanza does not start with `-> `, or an argument is empty or holds
    /// a character that is not printable ASCII.
    case stanzaLine
    /// A body line is longer than 64 columns or not canonical base64 without padding.
    case stanzaBody
    /// The last line is not `--- ` and the canonical base64 of 32 bytes.
    case macLine
    /// There is no stanza.
    case noStanza
    /// An X25519 stanza has another number of arguments than two, or a share that is not 32 bytes.
    case x25519Arguments
    /// A stanza of X-Wing has another number of arguments than two, or an encapsulated key that is not 1,120 bytes.
    case hybridArguments
    /// The share of an X25519 stanza, or X25519's of a stanza of X-Wing, is a point of small order: the shared secret
    /// would be zero.
    case lowOrderShare
    /// An scrypt stanza has another number of arguments than three, a salt that is not 16 bytes, or
    /// a work factor that is not a decimal number without leading zeros.
    case scryptArguments
    /// An scrypt stanza stands beside another stanza.
    case scryptNotAlone
    /// The body of a native stanza is not 32 bytes; checked before anything is decrypted.
    case wrappedKeySize
    /// The file ends inside the header.
    case truncated
    /// The file ends before the 16 bytes of the payload's nonce, which the reference implementation
    /// reads together with the header.
    case missingNonce
}
