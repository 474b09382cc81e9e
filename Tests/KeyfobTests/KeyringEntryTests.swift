import Foundation
import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Entries of a token cache, as a program changes them", .eachStorageInFullRun)
struct KeyringEntryTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private static let owner = """
        "home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com"
        """

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
    }

    private func change(_ text: String) throws {
        try keyring.caches.changeEntries(secret(text))
    }

    private func token(_ client: String, _ scopes: String, _ token: String, section: String = "AccessToken") -> String {
        let key =
            "ada-uid.contoso-login.microsoftonline.com-\(section.lowercased())-\(client)-"
            + (section == "AccessToken" ? "contoso" : "") + "-\(scopes)"
        return """
            "\(section)": {"\(key)": {"credential_type": "\(section)", "secret": "\(token)", \(Self.owner),
            "client_id": "\(client)", "realm": "contoso", "target": "\(scopes)", "expires_on": "\(noon.seconds + 3_600)"}}
            """
    }

    private func found(_ section: String, _ home: String? = nil, client: String? = nil) throws -> String {
        var bytes: [UInt8] = []
        let query = Keyring.EntryQuery(
            section: section, homeAccountID: home, environment: "login.microsoftonline.com", clientID: client)
        try keyring.caches.findEntries(query) { piece in bytes += contents(of: SecretBytes(copying: piece)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a token takes the place of that of its key alone, and goes by its key alone")
    func keys() throws {
        try change("{\"put\": {\(token("mailer", "a b", "first"))}}")
        try change("{\"put\": {\(token("mailer", "b c", "second"))}}")
        try change("{\"put\": {\(token("mailer", "a b", "third"))}}")
        #expect(try !found("AccessToken").contains("first"))
        #expect(try found("AccessToken", "ada-uid.contoso", client: "mailer").contains("second"))
        try change("{\"remove\": {\(token("mailer", "b c", "-"))}}")
        let left = try found("AccessToken")
        #expect(left.contains("third") && !left.contains("second"))
        #expect(try !found("AccessToken", "ada-uid.contoso", client: "another").contains("third"))
        #expect(try !found("AccessToken", "ben-uid.contoso").contains("third"))
    }

    @Test("a refresh token that a program removes is signed out, another client's stays, and an undo brings it back")
    func signOut() throws {
        for client in ["mailer", "other"] {
            try change("{\"put\": {\(token(client, "a", "refresh-\(client)", section: "RefreshToken"))}}")
        }
        try change("{\"remove\": {\(token("mailer", "a", "-", section: "RefreshToken"))}}")
        let left = try found("RefreshToken")
        #expect(left.contains("refresh-other") && !left.contains("refresh-mailer"))
        _ = try keyring.undo.undoTaken()
        #expect(try found("RefreshToken").contains("refresh-mailer"))
    }

    @Test("an application's own token is kept as it is, found for nobody's account, and removed")
    func application() throws {
        let entry = """
            "AccessToken": {"-login.microsoftonline.com-accesstoken-app-contoso-x": {"credential_type": "AccessToken",
            "secret": "own", "home_account_id": null, "environment": "login.microsoftonline.com", "client_id": "app",
            "realm": "contoso", "target": "x", "expires_on": "1"}}
            """
        try change("{\"put\": {\(entry)}}")
        #expect(try found("AccessToken", "").contains("\"secret\": \"own\""))
        #expect(try keyring.accounts.list().isEmpty)
        try change("{\"remove\": {\(entry)}}")
        #expect(try !found("AccessToken", "").contains("own"))
    }

    @Test("a refresh token that made room for another comes back too")
    func displaced() throws {
        for (scopes, text) in [("a", "first"), ("b", "second")] {
            try change("{\"put\": {\(token("mailer", scopes, text, section: "RefreshToken"))}}")
        }
        let before = try found("RefreshToken")
        #expect(before.contains("first") && before.contains("second"))
        try change("{\"remove\": {\(token("mailer", "a", "-", section: "RefreshToken"))}}")
        #expect(try !found("RefreshToken").contains("first"))
        _ = try keyring.undo.undoTaken()
        #expect(try found("RefreshToken") == before)
    }

    @Test("where what comes cannot be stored, what goes stays: both are one transaction")
    func oneTransaction() throws {
        try change("{\"put\": {\(token("mailer", "a", "kept", section: "RefreshToken"))}}")
        // No record holds as much; each text by itself is short enough to be read.
        let text = String(repeating: "x", count: 700_000)
        let large = """
            "AccessToken": {"k": {"credential_type": "AccessToken", "secret": "own", "home_account_id": null,
            "environment": "login.microsoftonline.com", "client_id": "app", "realm": "contoso", "target": "x",
            "expires_on": "1", "more": ["\(text)", "\(text)"]}}
            """
        let removal = "\"remove\": {\(token("mailer", "a", "-", section: "RefreshToken"))}"
        #expect(throws: KeyringError(.limitExceeded, "")) { try change("{\"put\": {\(large)}, \(removal)}") }
        #expect(try found("RefreshToken").contains("kept") && keyring.undo.taken().isEmpty)
        let other = token("mailer", "b", "new", section: "RefreshToken")
        try change("{\"put\": {\(other)}, \(removal)}")
        let left = try found("RefreshToken")
        #expect(left.contains("new") && !left.contains("kept"))
    }

    @Test("what is no change is refused, and changes nothing", arguments: ["", "[]", "{\"put\": 1}", "{\"put\": {}}"])
    func refused(_ text: String) throws {
        #expect(throws: KeyringError.self) { try change(text) }
        #expect(throws: KeyringError.self) { try found("Other") }
    }
}
