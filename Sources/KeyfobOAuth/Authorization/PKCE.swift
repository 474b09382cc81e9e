package import KeyfobSodium

/// The proof that whoever redeems a code is whoever asked for it (RFC 7636), always by S256.
package struct PKCE: ~Copyable, Sendable {
    /// What is shown when the code is redeemed: 43 letters from 32 random bytes.
    package let verifier: SecretBytes

    /// A proof from fresh randomness.
    package init(randomness: (Int) -> SecretBytes) {
        let random = randomness(32)
        self.verifier = random.withBytes { Base64.url.encodeSecret($0) }
    }

    /// A proof with a verifier that is known.
    package init(verifier: consuming SecretBytes) {
        self.verifier = verifier
    }

    /// What goes with the authorization request: the hash of the verifier (section 4.2).
    package var challenge: String {
        Base64.url.text(verifier.withBytes { SHA256.hash($0) })
    }
}
