import Foundation

/// A token cache as MSAL for Python keeps it: invented people, each with tokens in every tenant.
struct SampleCache {
    static let environment = "login.microsoftonline.com"

    /// How many people.
    var people: Int
    /// The tenants; that of the person at the same place, round and round, is home.
    var tenants = ["tenant-one", "tenant-two"]
    var client = "sample-client"
    var scope = "mail.read"
    /// What user names begin with.
    var name = "person"
    /// What tokens begin with.
    var token = "token"
    /// In how many seconds access tokens expire.
    var lifetime = 3_600
    /// How long tokens are, in bytes.
    var tokenCount = 64

    /// The user name of one.
    func username(_ person: Int) -> String { "\(name)\(person)@\(home(person)).example" }

    /// The access token of one in a tenant.
    func accessToken(_ person: Int, _ tenant: String) -> String { padded("\(token)-at-\(person)-\(tenant)-") }

    /// The file.
    func json() throws -> Data {
        try JSONSerialization.data(withJSONObject: sections(), options: [.sortedKeys])
    }

    /// The file's entities by section and key, to be spoilt.
    func sections() -> [String: [String: [String: Any]]] {
        var sections: [String: [String: [String: Any]]] = [
            "AccessToken": [:], "RefreshToken": [:], "IdToken": [:], "Account": [:],
            "AppMetadata": [
                "appmetadata-\(Self.environment)-\(client)": [
                    "client_id": client, "environment": Self.environment, "family_id": "1",
                ]
            ],
        ]
        let now = Int(Date().timeIntervalSince1970)
        for person in 0..<people {
            let id = "uid\(person).\(home(person))"
            let owner: [String: Any] = ["home_account_id": id, "environment": Self.environment, "client_id": client]
            sections["RefreshToken"]?["\(id)-rt"] = owner.merging([
                "credential_type": "RefreshToken", "secret": padded("\(token)-rt-\(person)-"), "family_id": "1",
                "target": scope, "last_modification_time": "\(now)",
            ]) { $1 }
            for tenant in tenants {
                sections["AccessToken"]?["\(id)-at-\(tenant)"] = owner.merging([
                    "credential_type": "AccessToken", "secret": accessToken(person, tenant), "realm": tenant,
                    "target": scope, "token_type": "Bearer", "cached_at": "\(now - 60)",
                    "expires_on": "\(now + lifetime)", "extended_expires_on": "\(now + lifetime)",
                ]) { $1 }
                sections["IdToken"]?["\(id)-id-\(tenant)"] = owner.merging([
                    "credential_type": "IdToken", "secret": padded("\(token)-id-\(person)-\(tenant)-"), "realm": tenant,
                ]) { $1 }
                sections["Account"]?["\(id)-\(tenant)"] = [
                    "home_account_id": id, "environment": Self.environment, "realm": tenant,
                    "local_account_id": "uid\(person)-in-\(tenant)", "username": username(person),
                    "authority_type": "MSSTS", "account_source": "authorization_code",
                ]
            }
        }
        return sections
    }

    private func home(_ person: Int) -> String { tenants[person % tenants.count] }

    private func padded(_ text: String) -> String {
        text + String(repeating: "x", count: max(0, tokenCount - text.count))
    }
}
