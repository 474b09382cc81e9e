internal import Keyfob
internal import KeyfobTerminal

/// What stands around a token in what `az account get-access-token` prints, without the subscription, which no token has.
struct AzureTokenText {
    let before: String
    let after: String

    init(_ found: Keyring.FoundToken) {
        var writer = JSONWriter(isIndented: true)
        writer.beginObject()
        writer.name("accessToken")
        before = String(decoding: writer.bytes, as: UTF8.self) + "\""
        writer.removeWritten()
        writer.skipValue()
        if let expiry = found.credential.expiresOn {
            // The one is the time of this machine, without saying so, and the other the number that programs should take.
            writer.member("expiresOn", LocalTime.seconds(expiry) + ".000000")
            writer.member("expires_on", Int(expiry.seconds))
        }
        writer.member("tenant", found.credential.realm.isEmpty ? nil : found.credential.realm)
        writer.member("tokenType", found.credential.shownTokenType)
        writer.endObject()
        after = "\"" + TerminalText.json(String(decoding: writer.bytes, as: UTF8.self)) + "\n"
    }
}
