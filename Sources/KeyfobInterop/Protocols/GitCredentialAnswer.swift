package import KeyfobModel
package import KeyfobSodium

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
    /// Whose token it is said to be, where it goes together with that name (RFC 7617); nil where it goes alone.
    private let basicUser: String?

    /// The answer; nil where the server takes no token.
    ///
    /// Where git can, it comes with the scheme by which it is sent and is `ephemeral`: no other helper stores it. None is to use
    /// any token beyond its end.
    package init?(to request: borrowing GitCredentialRequest, with credential: Credential, of account: Account) {
        guard let form = request.form else { return nil }
        let user = request.username ?? Self.user(of: account, with: credential, at: request.url)
        let expiry = credential.expiresOn
        // Of two colons the first one ends the name.
        let isScheme = form == .bearer || form == .basic && !user.contains(":")
        basicUser = isScheme && form == .basic ? user : nil
        var lines: [String] = []
        if isScheme { lines.append("capability[]=authtype") }
        if request.keepsState { lines.append("capability[]=state") }
        lines.append(isScheme ? "authtype=\(form == .bearer ? "Bearer" : "Basic")" : "username=\(user)")
        before = lines.map { $0 + "\n" }.joined() + (isScheme ? "credential=" : "password=")
        lines = isScheme ? ["ephemeral=1"] : []
        if let expiry { lines.append("password_expiry_utc=\(expiry.seconds)") }
        // An id holds no line end.
        if request.keepsState { lines.append("state[]=\(GitCredentialRequest.statePrefix)\(account.id)") }
        after = "\n" + lines.map { $0 + "\n" }.joined()
    }

    /// The name that goes with a token: the user's own where somebody has brought it for that server, which may look at the name.
    private static func user(of account: Account, with credential: Credential, at url: CredentialURL?) -> String {
        let isBrought = [Credential.noClient, DockerCredentials.client].contains(credential.clientID)
        let isOwn = url.map { EnvironmentAliases.areSame(account.id.environment, $0.address.host) } ?? false
        // Whoever has a key of the group may have written the name, with the end of a line in it.
        return isBrought && isOwn && Identifier.isAcceptable(account.username) ? account.username : anyUser
    }

    /// What stands for a token between the two.
    package func value(of token: RawSpan) -> SecretBytes {
        guard let basicUser else { return SecretBytes(copying: token, placement: .recycled) }
        let user = Array("\(basicUser):".utf8)
        var value = SecretBuffer(capacity: user.count + token.byteCount)
        user.withBytes { value.append($0) }
        value.append(token)
        return value.withBytes { Base64.standard.encodeSecret($0) }
    }
}
