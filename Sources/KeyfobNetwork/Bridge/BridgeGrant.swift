package import KeyfobSodium

/// A token for a bridge, with what is to be known of it.
package struct BridgeGrant: ~Copyable {
    let token: SecretBytes
    let account: String
    let name: String
    let seconds: Int64?
    let certificateFile: String?
    let login: String
    let isBound: Bool

    /// A token.
    ///
    /// - Parameters:
    ///   - account: Whose it is, as an id: a session is of one account.
    ///   - name: The same for people.
    ///   - seconds: After how many another one is to be asked for; nil for as long as it is taken.
    ///   - certificateFile: The file of certificates that are trusted for it; nil for the usual ones.
    ///   - login: What a person does where it is not taken.
    ///   - isBound: Whether it is bound to a key, whose proof goes with each request (RFC 9449).
    package init(
        _ token: consuming SecretBytes, of account: String, name: String, seconds: Int64?, certificateFile: String?,
        login: String, isBound: Bool = false
    ) {
        self.isBound = isBound
        self.token = token
        self.account = account
        self.name = name
        self.seconds = seconds
        self.certificateFile = certificateFile
        self.login = login
    }
}

/// Why a service did not take a token, as its answer has it.
package struct BridgeRefusal: Hashable, Sendable {
    /// The status.
    package let status: Int
    /// The values of `WWW-Authenticate`.
    package let challenges: [String]

    /// A refusal.
    package init(status: Int, challenges: [String]) { (self.status, self.challenges) = (status, challenges) }
}

/// What comes of asking for a token.
package enum BridgeAnswer: ~Copyable {
    case granted(BridgeGrant)
    /// Why there is none, and what to do: one line.
    case refused(String)
}

/// Who has the tokens; asked one thing after the other.
package struct BridgeTokens {
    /// Asks for one, in the place of the last one where that was not taken; false where nobody is there.
    let ask: (BridgeRefusal?) -> Bool
    /// Can be read when there is an answer.
    let descriptor: CInt
    /// The answer; nil where nobody is there any more.
    let hear: () -> BridgeAnswer?
    /// The proof of the key of the last token, for one request, where nothing else is asked meanwhile; nil where there is none.
    let prove: (_ method: String, _ address: String, _ nonce: String?) -> String?

    /// Somebody who answers over a descriptor.
    package init(
        descriptor: CInt, ask: @escaping (BridgeRefusal?) -> Bool, hear: @escaping () -> BridgeAnswer?,
        prove: @escaping (_ method: String, _ address: String, _ nonce: String?) -> String?
    ) {
        (self.descriptor, self.ask, self.hear, self.prove) = (descriptor, ask, hear, prove)
    }
}
