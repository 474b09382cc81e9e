internal import KeyfobModel

// The file `application_default_credentials.json` of gcloud, where it is a person's (`authorized_user`).

extension ToolFile {
    private static let google = "accounts.google.com"

    mutating func readGoogleCredentials(_ value: ToolValue, _ bytes: RawSpan) throws(ToolFileError) {
        let type = value["type"]?.name(bytes)
        guard type == "authorized_user" else { throw .noPerson(type.flatMap(ToolFileError.GoogleKind.init)) }
        if let universe = value["universe_domain"]?.name(bytes), universe != "googleapis.com" { throw .otherUniverse }
        let endpoints = ["https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token"]
        if let endpoint = value["token_uri"], !endpoints.contains(endpoint.name(bytes) ?? "") {
            throw .otherTokenEndpoint
        }
        guard let client = value["client_id"]?.name(bytes) else { throw .missing("client_id") }
        guard let token = value["refresh_token"]?.secret else { throw .missing("refresh_token") }
        // gcloud mostly leaves out whose they are.
        let name = value["account"]?.name(bytes) ?? "application-default"
        guard let account = account(name, at: Self.google) else { throw .missing("account") }
        add(.refreshToken, token, of: account, client: client)
        add(client: client, secret: value["client_secret"]?.secret, at: Self.google)
    }

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
