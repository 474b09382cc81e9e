internal import Keyfob

/// An account in a document.
struct AccountDocument: Encodable {
    let id: String
    let homeAccountID: String
    let environment: String
    let username: String
    let displayName: String?
    let label: String?
    /// The ids and user names that it had before, the latest first.
    let formerNames: [String]
    let group: String
    let state: String
    let stateReason: String?
    /// When the sign-in ends, where that is known.
    let signInEndsOn: String?
    /// Whether that is soon.
    let isSignInEnding: Bool
    let isDefault: Bool
    /// Whether somebody has put a token of it into the desktop's keyring by hand; left out where nobody has.
    let hasTokenMadeByHand: Bool?
    let homeTenant: String?
    let tenants: [Tenant]
    let clients: [String]

    struct Tenant: Encodable {
        let id: String
        let localAccountID: String
        let username: String
    }

    init(_ candidate: Candidate, now: Timestamp = WallClock.system.now) {
        let account = candidate.account
        signInEndsOn = candidate.end.map(\.endsOn.rfc3339)
        isSignInEnding = candidate.end?.isNear(now) ?? false
        id = account.id.description
        homeAccountID = account.id.homeAccountID
        environment = account.id.environment
        username = account.username
        displayName = account.displayName
        label = account.label
        formerNames = account.formerNames
        group = candidate.group.name
        state = candidate.state.name
        stateReason = if case .needsSignIn(let reason) = candidate.state { reason } else { nil }
        isDefault = candidate.isDefault
        hasTokenMadeByHand = candidate.hasTokenMadeByHand ? true : nil
        homeTenant = account.homeRealm
        tenants = account.tenantProfiles.map {
            Tenant(id: $0.realm, localAccountID: $0.localAccountID, username: $0.username)
        }
        clients = candidate.clientIDs.sorted()
    }
}

extension AccountDocument {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("clients", clients)
        json.member("displayName", displayName)
        json.member("environment", environment)
        json.member("formerNames", formerNames)
        json.member("group", group)
        if let hasTokenMadeByHand { json.member("hasTokenMadeByHand", hasTokenMadeByHand) }
        json.member("homeAccountID", homeAccountID)
        json.member("homeTenant", homeTenant)
        json.member("id", id)
        json.member("isDefault", isDefault)
        json.member("isSignInEnding", isSignInEnding)
        json.member("label", label)
        json.member("signInEndsOn", signInEndsOn)
        json.member("state", state)
        json.member("stateReason", stateReason)
        json.member("tenants", each: tenants) { tenant, json in
            json.member("id", tenant.id)
            json.member("localAccountID", tenant.localAccountID)
            json.member("username", tenant.username)
        }
        json.member("username", username)
    }
}

/// `Schemas/account-list.schema.json`.
struct AccountListDocument: LongJSONDocument {
    let formatVersion = 1
    let accounts: [AccountDocument]

    func writeMembers(to json: inout JSONWriter) {
        json.member("accounts", each: accounts) { $0.writeMembers(to: &$1) }
        json.member("formatVersion", formatVersion)
    }
}
