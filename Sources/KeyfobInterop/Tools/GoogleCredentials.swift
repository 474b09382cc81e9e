internal import KeyfobModel

// The file `application_default_credentials.json` of gcloud, where it is a person's (`authorized_user`).

extension ToolFile {
    static let google = "accounts.google.com"
    static let googleTokenEndpoints = [
        "https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token",
    ]

    mutating func readGoogleCredentials(_ value: ToolValue, _ bytes: RawSpan) throws(ToolFileError) {
        let type = value["type"]?.name(bytes)
        guard type == "authorized_user" else { throw .noPerson(type.flatMap(ToolFileError.GoogleKind.init)) }
        if let universe = value["universe_domain"]?.name(bytes), universe != "googleapis.com" { throw .otherUniverse }
        if let endpoint = value["token_uri"], !Self.googleTokenEndpoints.contains(endpoint.name(bytes) ?? "") {
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
}
