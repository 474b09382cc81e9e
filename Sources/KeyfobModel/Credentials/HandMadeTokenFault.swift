/// Why an item of the desktop's keyring that looks like a token which somebody has put there by hand gives none.
public enum HandMadeTokenFault: Hashable, Sendable {
    /// One of its attributes makes no sense, or names a group that the vault has not.
    case attributes
    /// There is no token in it.
    case empty
    /// What is in it holds control characters, which no program could send (RFC 6750, section 2.1).
    case controlCharacters
}
