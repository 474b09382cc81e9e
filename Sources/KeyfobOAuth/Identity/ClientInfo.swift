package import KeyfobSodium
internal import KeyfobModel

/// Microsoft's `client_info`: who signed in, in the tenant the account is at home in.
package struct ClientInfo: Hashable, Sendable {
    /// The object id in the home tenant.
    package let uid: String
    /// The home tenant.
    package let utid: String

    /// Reads base64url of a JSON object with `uid` and `utid`, or nil where either is missing or blank.
    package init?(encoded: borrowing SecretBytes) {
        guard let json = encoded.withBytes({ Base64.url.decodeSecret($0) }) else { return nil }
        let pair: (String, String)? = json.withBytes { bytes in
            guard let fields = try? JSONFields(reading: bytes), let uid = fields.string("uid", in: bytes),
                let utid = fields.string("utid", in: bytes)
            else { return nil }
            return (uid, utid)
        }
        guard let pair else { return nil }
        self.init(uid: pair.0, utid: pair.1)
    }

    /// Both parts, or nil where one is blank or holds a control character.
    package init?(uid: String, utid: String) {
        guard Identifier.isAcceptable(uid), Identifier.isAcceptable(utid), !utid.contains(".") else { return nil }
        self.uid = uid
        self.utid = utid
    }

    /// The home account id: `uid.utid`.
    package var homeAccountID: String { uid + "." + utid }
}
