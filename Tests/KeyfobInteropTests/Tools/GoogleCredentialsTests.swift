import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Google's default credentials, and mail scripts' tokens")
struct GoogleCredentialsTests {
    private func person(_ more: String = "") -> String {
        """
        {"client_id": "7.apps.example", "client_secret": "d-FL", "refresh_token": "1//0x\\/y",
         "type": "authorized_user"\(more)}
        """
    }

    @Test("a person's refresh token and its client are read, with or without the person's name")
    func person() throws {
        let named = try ToolSample(person(#", "account": "Ada@corp.example", "universe_domain": "googleapis.com""#))
        #expect(named.format == .gcloud)
        #expect(named.tokens == ["refresh_token ada@corp.example@accounts.google.com 1//0x/y"])
        #expect(named.credentials.map(\.clientID) == ["7.apps.example"])
        #expect(named.clients == ["7.apps.example accounts.google.com d-FL"])
        let nameless = try ToolSample(person(#", "account": """#))
        #expect(nameless.tokens == ["refresh_token application-default@accounts.google.com 1//0x/y"])
    }

    @Test(
        "what is of no person, or would be redeemed elsewhere, is refused",
        arguments: [
            (#"{"type": "service_account", "client_id": "1", "private_key": "k"}"#, .noPerson(.serviceAccount)),
            (#"{"type": "external_account", "audience": "a"}"#, .noPerson(.external)),
            (#"{"type": "new_kind", "client_id": "1"}"#, .noPerson(nil)),
            (#"{"type": "authorized_user", "client_id": "1"}"#, .missing("refresh_token")),
            (#"{"type": "authorized_user", "client_id": "", "refresh_token": "r"}"#, .missing("client_id")),
        ] as [(String, ToolFileError)])
    func refused(text: String, error: ToolFileError) {
        #expect(throws: error) { try ToolSample(text) }
    }

    @Test("another token endpoint and another cloud are refused")
    func endpoints() throws {
        #expect(throws: ToolFileError.otherTokenEndpoint) {
            try ToolSample(person(#", "token_uri": "https://evil.example/token""#))
        }
        #expect(throws: ToolFileError.otherUniverse) {
            try ToolSample(person(#", "universe_domain": "cloud.example""#))
        }
        let known = try ToolSample(person(#", "token_uri": "https://oauth2.googleapis.com/token""#))
        #expect(known.tokens.count == 1)
    }

    @Test("a token file of mutt_oauth2.py has an access token with its end, and a refresh token for a client")
    func mail() throws {
        let text = """
            {"registration": "microsoft", "authflow": "devicecode", "email": "ada@corp.example", "access_token": "at",
             "access_token_expiration": "2026-11-21T10:15:00.123456", "refresh_token": "rt"}
            """
        let nameless = try ToolSample(text, .init(utcOffset: { _ in 3_600 }))
        #expect(nameless.format == .mutt)
        #expect(nameless.tokens == ["access_token ada@corp.example@login.microsoftonline.com at"])
        #expect(nameless.credentials.first?.expiresOn?.rfc3339 == "2026-11-21T09:15:00Z")
        #expect(
            nameless.findings == [
                "user 'ada@corp.example': its refresh token names no client, without which nothing redeems it"
            ])
        let named = try ToolSample(text, .init(clientID: "mailer"))
        #expect(named.credentials.map(\.clientID) == ["mailer", "mailer"])
        #expect(throws: ToolFileError.self) {
            try ToolSample(text.replacing("microsoft", with: "elsewhere"))
        }
    }
}
