internal import Keyfob
internal import KeyfobModel
internal import KeyfobSodium

/// The JSON documents that the broker answers with.
enum BrokerAnswer {
    /// The version that clients are told: the last of whose protocol this door has been tried with.
    static let version = "2.0.1"
    /// The tag of all errors: "kf" in ASCII tells people whose it is.
    private static let tag = 0x6B66

    /// Accounts.
    static func accounts(_ accounts: [BrokerAccount]) -> SecretBytes {
        document { json in json.member("accounts", each: accounts) { $0.write(to: &$1) } }
    }

    /// The version.
    static var versions: SecretBytes { document { json in json.member("linuxBrokerVersion", version) } }

    /// What a sign-out is answered with: nobody looks at it.
    static var nothing: SecretBytes { document { _ in } }

    /// A failure.
    ///
    /// Its four members are all needed: without one of them MSAL for Python fails in another way.
    static func refusal(_ refusal: BrokerRefusal, of method: BrokerMethod) -> SecretBytes {
        document { json in
            // Who asks for accounts reads these, whatever else there is.
            if method == .getAccounts { json.member("accounts", []) }
            json.name("brokerTokenResponse")
            json.beginObject()
            json.name("error")
            json.beginObject()
            json.member("status", refusal.status.rawValue)
            json.member("tag", tag)
            json.member("errorCode", refusal.status.rawValue)
            json.member("context", refusal.text)
            json.endObject()
            json.endObject()
        }
    }

    /// A token.
    ///
    /// All times are in milliseconds.
    static func token(
        _ box: TokenBox, idToken: borrowing SecretBytes, of account: BrokerAccount, until end: Timestamp
    ) -> SecretBytes {
        var json = JSONWriter()
        json.beginObject()
        json.name("brokerTokenResponse")
        json.beginObject()
        json.member("accessTokenType", 0)
        json.member("expiresOn", milliseconds(end))
        json.member("extendedExpiresOn", milliseconds(box.found.credential.extendedExpiresOn ?? end))
        json.member("clientInfo", account.clientInfo)
        json.member("grantedScopes", box.found.credential.scopes.spaceSeparated)
        json.name("idToken")
        json.skipValue()
        let first = json.bytes
        json.removeWritten()
        json.name("accessToken")
        json.skipValue()
        let second = json.bytes
        json.removeWritten()
        json.endObject()
        json.endObject()
        let third = json.bytes
        let (id, access) = (
            idToken.withBytes { JSONEscape.count(of: $0) }, box.secret.withBytes { JSONEscape.count(of: $0) }
        )
        // Four quotation marks.
        let count = first.count + second.count + third.count + id + access + 4
        return SecretBytes(count: count, placement: .recycled) { output in
            var place = put(first, into: &output, at: 0)
            place = put(idToken, into: &output, at: place)
            place = put(second, into: &output, at: place)
            place = put(box.secret, into: &output, at: place)
            _ = put(third, into: &output, at: place)
        }
    }

    private static func milliseconds(_ time: Timestamp) -> Int {
        // The year 10000, lest what a cache holds overflows.
        Int(max(0, min(time.seconds, 253_402_300_800))) * 1_000
    }

    private static func put(_ bytes: [UInt8], into output: inout MutableRawSpan, at place: Int) -> Int {
        bytes.withBytes { output.copy(from: $0, at: place) }
        return place + bytes.count
    }

    private static func put(
        _ secret: borrowing SecretBytes, into output: inout MutableRawSpan, at place: Int
    ) -> Int {
        output.storeBytes(of: UInt8(ascii: "\""), toByteOffset: place, as: UInt8.self)
        let count = secret.withBytes { bytes in
            JSONEscape.write(bytes, into: &output, at: place + 1)
            return JSONEscape.count(of: bytes)
        }
        output.storeBytes(of: UInt8(ascii: "\""), toByteOffset: place + 1 + count, as: UInt8.self)
        return place + count + 2
    }

    private static func document(_ body: (inout JSONWriter) -> Void) -> SecretBytes {
        var json = JSONWriter()
        json.beginObject()
        body(&json)
        json.endObject()
        return json.bytes.withBytes { SecretBytes(copying: $0) }
    }
}
