import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// A refusal of Microsoft's, and how far it reaches at the account's home and in another tenant.
struct RefusalRow: Sendable, CustomTestStringConvertible {
    /// How far a refusal reaches, as a person notices it.
    enum Extent: Sendable {
        /// What was asked for.
        case request
        /// What was asked for; the home tenant is asked whether the grant lasts.
        case unknown
        /// All of the tenant, for each client.
        case tenant
        /// All of the tenant, for this client.
        case clientAtTenant
        /// All of the client.
        case client
        /// The sign-in.
        case grant
        /// Nothing that is remembered.
        case nothing
    }

    let error: String
    var suberror: String?
    var code: Int?
    let home: Extent
    let away: Extent
    let result: KeyringError.Code
    /// The result in another tenant, where it is another.
    let resultAway: KeyringError.Code

    init(
        _ error: String, _ suberror: String?, _ code: Int?, _ home: Extent, away: Extent? = nil,
        _ result: KeyringError.Code = .signInNeeded, away resultAway: KeyringError.Code? = nil
    ) {
        (self.error, self.suberror, self.code) = (error, suberror, code)
        (self.home, self.away, self.result) = (home, away ?? home, result)
        self.resultAway = resultAway ?? result
    }

    var testDescription: String { [error, suberror, code.map(String.init)].compactMap(\.self).joined(separator: " ") }

    /// The body of the answer.
    func body(hasSuberror: Bool = true) -> String {
        var fields = ["\"error\": \"\(error)\""]
        if hasSuberror, let suberror { fields.append("\"suberror\": \"\(suberror)\"") }
        if let code {
            fields.append("\"error_codes\": [\(code)]")
            fields.append("\"error_description\": \"AADSTS\(code): Nobody reads this.\"")
        }
        return "{" + fields.joined(separator: ", ") + "}"
    }

    /// In a full run all; else the first of those that reach equally far and are told alike.
    static let ofEachKind: [RefusalRow] = {
        var kinds: Set<String> = []
        return all.filter { row in
            TestLength.isFull
                || kinds.insert("\(row.home) \(row.away) \(row.result) \(row.resultAway)").inserted
        }
    }()

    static let all: [RefusalRow] =
        [50_173, 50_132, 50_133, 70_008, 700_082, 700_084].map { RefusalRow("invalid_grant", "bad_token", $0, .grant) }
        + [50_074, 50_076, 50_078, 50_079].map { RefusalRow("invalid_grant", "basic_action", $0, .request) }
        + [50_020, 90_072].map { RefusalRow("invalid_grant", nil, $0, .tenant, .policyNotMet) }
        + [53_000, 53_001, 53_002, 53_003, 530_003].map {
            RefusalRow("invalid_grant", "message_only", $0, .request, .policyNotMet)
        }
        + [
            RefusalRow("invalid_grant", nil, 50_034, .unknown, away: .tenant, away: .policyNotMet),
            RefusalRow("invalid_grant", nil, 50_057, .grant, away: .tenant, away: .policyNotMet),
            RefusalRow("invalid_grant", nil, 50_105, .clientAtTenant, .policyNotMet),
            RefusalRow("unauthorized_client", nil, 700_016, .clientAtTenant, .policyNotMet),
            RefusalRow("invalid_grant", "consent_required", 65_001, .request),
            RefusalRow("invalid_grant", nil, 50_158, .request), RefusalRow("invalid_grant", nil, 53_004, .request),
            RefusalRow("interaction_required", "token_expired", 70_043, .request),
            RefusalRow("invalid_grant", "token_expired", 70_043, .request),
            RefusalRow("invalid_resource", nil, 500_011, .request, .scopesDeclined),
            RefusalRow("invalid_grant", nil, 500_133, .request),
            RefusalRow("invalid_grant", nil, nil, .unknown), RefusalRow("invalid_grant", nil, 99_999, .unknown),
            RefusalRow("invalid_grant", "never_heard_of", nil, .unknown),
            RefusalRow("invalid_grant", "bad_token", nil, .grant),
            RefusalRow("invalid_grant", "user_account_deleted", nil, .grant),
            RefusalRow("invalid_grant", "additional_action", nil, .request),
            RefusalRow("invalid_grant", "user_password_expired", nil, .request),
            RefusalRow("invalid_grant", "device_authentication_failed", nil, .request),
            RefusalRow("invalid_grant", "protection_policy_required", nil, .request, .policyNotMet),
            RefusalRow("interaction_required", nil, nil, .request),
            RefusalRow("consent_required", nil, nil, .request), RefusalRow("access_denied", nil, nil, .request),
            RefusalRow("invalid_scope", nil, nil, .request, .scopesDeclined),
            RefusalRow("invalid_client", nil, 7_000_218, .client, .configuration),
            RefusalRow("unauthorized_client", nil, nil, .client, .configuration),
            RefusalRow("something_new", nil, nil, .request, .providerFailed),
        ]
}
