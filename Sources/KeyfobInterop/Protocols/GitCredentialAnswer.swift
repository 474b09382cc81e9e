package import KeyfobModel

/// What a credential helper answers git: the lines before and behind the token, which is in neither.
package struct GitCredentialAnswer: Hashable, Sendable {
    /// The user name by which GitHub, GitLab, Azure DevOps and others take a token in place of a password.
    package static let anyUser = "oauth2"
    /// What a helper says of itself, so that git offers it what it can.
    package static let capabilities = "version 0\ncapability authtype\ncapability state\n"

    /// Has git ask no other helper, and no password.
    package static let quit = "quit=1\n"

    /// What stands before the token.
    package let before: String
    /// What stands behind it.
    package let after: String

    /// The answer; nil where the server takes no token.
    ///
    /// No other helper is to store a bearer token, and none any token beyond its end.
    package init?(to request: borrowing GitCredentialRequest, of account: AccountID, until expiry: Timestamp?) {
        guard let isForBearer = request.isForBearer else { return nil }
        var lines: [String] = []
        if isForBearer { lines.append("capability[]=authtype") }
        if request.keepsState { lines.append("capability[]=state") }
        lines += isForBearer ? ["authtype=Bearer"] : ["username=\(request.username ?? Self.anyUser)"]
        before = lines.map { $0 + "\n" }.joined() + (isForBearer ? "credential=" : "password=")
        lines = isForBearer ? ["ephemeral=1"] : []
        if let expiry { lines.append("password_expiry_utc=\(expiry.seconds)") }
        // Neither holds a line end: an id has none, and a user name came in a line.
        if request.keepsState { lines.append("state[]=\(GitCredentialRequest.statePrefix)\(account)") }
        after = "\n" + lines.map { $0 + "\n" }.joined()
    }
}
