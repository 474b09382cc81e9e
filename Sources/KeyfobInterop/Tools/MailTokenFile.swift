internal import KeyfobModel

extension ToolFile {
    // The token files of mutt_oauth2.py, which mostly leaves the client to its script.
    mutating func readMailToken(
        _ value: ToolValue, _ surroundings: Surroundings, _ bytes: RawSpan
    ) throws(ToolFileError) {
        let environments = ["google": Self.google, "microsoft": "login.microsoftonline.com"]
        guard let environment = value["registration"]?.name(bytes).flatMap({ environments[$0] }) else {
            throw .missing("registration of Google or Microsoft")
        }
        guard let name = value["email"]?.name(bytes), let account = account(name, at: environment) else {
            throw .missing("email")
        }
        let client = value["client_id"]?.name(bytes) ?? surroundings.clientID
        let scopes: ScopeSet =
            environment == Self.google
            ? ["https://mail.google.com/"]
            : [
                "https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/POP.AccessAsUser.All",
                "https://outlook.office.com/SMTP.Send",
            ]
        if let token = value["access_token"]?.secret {
            let time = value["access_token_expiration"]?.name(bytes)
            // Without its end nobody knows whether it is of use.
            if let expiry = time.flatMap({ ADALTime.timestamp($0, offset: surroundings.utcOffset) }) {
                add(
                    .accessToken, token, of: account, client: client ?? Credential.noClient, scopes: scopes,
                    until: expiry)
            }
        }
        guard let token = value["refresh_token"]?.secret else { return skip(.user(name), .noToken) }
        guard let client else { return skip(.user(name), .noClient) }
        add(.refreshToken, token, of: account, client: client, scopes: scopes)
        add(client: client, secret: value["client_secret"]?.secret, at: environment)
    }
}
