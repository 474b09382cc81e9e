import Foundation
import Keyfob

extension ScriptedNetwork.Answer {
    /// Tokens, as a token endpoint gives them; `expires` is nil where it does not say how long they live.
    static func tokens(
        _ access: String, refresh: String? = nil, scope: String? = nil, expires: Int64? = 3_600, foci: String? = nil,
        id: String? = nil, clientInfo: String? = nil, more: String = ""
    ) -> Self {
        var fields = ["\"access_token\": \"\(access)\"", "\"token_type\": \"Bearer\""]
        if let expires { fields.append("\"expires_in\": \(expires)") }
        let texts = [
            ("refresh_token", refresh), ("scope", scope), ("foci", foci), ("id_token", id), ("client_info", clientInfo),
        ]
        for (name, value) in texts {
            if let value { fields.append("\"\(name)\": \"\(value)\"") }
        }
        return .json("{" + fields.joined(separator: ", ") + (more.isEmpty ? "" : ", " + more) + "}")
    }
}

/// Base64url of a JSON text.
func encoded(_ json: String) -> String {
    Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// `client_info` of Microsoft's.
func clientInfo(_ uid: String, _ utid: String) -> String {
    encoded("{\"uid\": \"\(uid)\", \"utid\": \"\(utid)\"}")
}

/// What an ID token says; it is good unless something is changed.
struct TestIDToken {
    var algorithm = "RS256"
    var issuer = "https://id.example"
    var subject = "ada-sub"
    var audience = "app"
    var expires = noon.advanced(by: 3_600)
    var issuedAt = noon
    var nonce: String?
    var tenant: String?
    var object: String?
    var username = "ada@id.example"

    var text: String {
        var claims = [
            "\"iss\": \"\(issuer)\"", "\"sub\": \"\(subject)\"", "\"aud\": \"\(audience)\"",
            "\"exp\": \(expires.seconds)", "\"iat\": \(issuedAt.seconds)",
            "\"preferred_username\": \"\(username)\"", "\"name\": \"Ada\"",
        ]
        for (name, value) in [("nonce", nonce), ("tid", tenant), ("oid", object)] {
            if let value { claims.append("\"\(name)\": \"\(value)\"") }
        }
        let header = encoded("{\"alg\": \"\(algorithm)\", \"kid\": \"k\"}")
        return header + "." + encoded("{" + claims.joined(separator: ", ") + "}") + ".c2lnbmF0dXJl"
    }
}
