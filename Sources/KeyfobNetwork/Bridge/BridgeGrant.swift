package import KeyfobSodium

/// A token for a bridge, with what is to be known of it.
package struct BridgeGrant: ~Copyable {
    let token: SecretBytes
    let account: String
    let name: String
    let seconds: Int64?
    let certificateFile: String?
    let login: String

    /// A token.
    ///
    /// - Parameters:
    ///   - account: Whose it is, as an id: a session is of one account.
    ///   - name: The same for people.
    ///   - seconds: After how many another one is to be asked for; nil for as long as it is taken.
    ///   - certificateFile: The file of certificates that are trusted for it; nil for the usual ones.
    ///   - login: What a person does where it is not taken.
    package init(
        _ token: consuming SecretBytes, of account: String, name: String, seconds: Int64?, certificateFile: String?,
        login: String
    ) {
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

    /// Somebody who answers over a descriptor.
    package init(
        descriptor: CInt, ask: @escaping (BridgeRefusal?) -> Bool, hear: @escaping () -> BridgeAnswer?
    ) {
        (self.descriptor, self.ask, self.hear) = (descriptor, ask, hear)
    }
}
