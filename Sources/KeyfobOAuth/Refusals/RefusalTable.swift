internal import KeyfobModel

/// The one place that decides how far a refusal reaches, by provider, error, suberror and error codes.
///
/// Microsoft answers `invalid_grant` to most refusals and asks programs not to rely on its codes. So codes speed the decision
/// up: a code that is not here makes a ruling about the request, and the grant ends only where it does not serve its last good
/// request any more.
package enum RefusalTable {
    /// How far `failure` reaches.
    package static func ruling(
        on failure: ProviderFailure, _ circumstances: RefusalCircumstances
    ) -> RefusalRuling {
        guard let refusal = failure.refusal else { return RefusalRuling(.provider, nil) }
        if case .refusedWithoutReason = failure { return RefusalRuling(.provider, nil) }
        if refusal.suberror == "user_account_deleted" { return .grantEnds }
        // It is about the family of clients: with a sign-in of its own the client needs none.
        if refusal.suberror == "client_mismatch" { return RefusalRuling(.client, .signIn) }
        if circumstances.provider == .entra, let ruling = byCode(refusal, isHome: circumstances.isHome) {
            return ruling
        }
        if refusal.policy != nil, !isAboutClient(refusal) { return RefusalRuling(.request, .meetPolicy) }
        if let suberror = refusal.suberror, let ruling = suberrors[suberror], !isAboutClient(refusal) { return ruling }
        return byName(refusal.error ?? "", circumstances)
    }

    // MARK: Microsoft's codes

    /// The ruling by error code; the narrowest of several.
    private static func byCode(_ refusal: Refusal, isHome: Bool) -> RefusalRuling? {
        let codes = refusal.allCodes
        // No sign-in mends what a client may not, and what an organisation forbids is told as that.
        if refusal.policy != nil { return isAboutClient(refusal) ? nil : RefusalRuling(.request, .meetPolicy) }
        if let remedy = codes.lazy.compactMap({ ofRequest[$0] }).first { return RefusalRuling(.request, remedy) }
        if let code = codes.first(where: ofTenant.contains) {
            let isOfClient = ofClientAtTenant.contains(code)
            return RefusalRuling(.tenant, isOfClient ? .administrator : .invitation, isOfClient: isOfClient)
        }
        if !isHome, codes.contains(where: ofTenantAwayFromHome.contains) { return RefusalRuling(.tenant, .invitation) }
        if isHome, codes.contains(accountDisabled) { return .grantEnds }
        return codes.contains(where: ofGrant.contains) ? .grantEnds : nil
    }

    private static let ofRequest: [Int64: RefusalRemedy] = [
        // A second factor: to be shown, to be set up, or shown too long ago.
        50_074: .secondFactor, 50_076: .secondFactor, 50_078: .secondFactor, 50_079: .secondFactor,
        // A challenge of another service; a risk.
        50_158: .signIn, 53_004: .signIn,
        65_001: .consent,
        // The sign-in frequency of a policy.
        70_043: .signIn,
        500_011: .otherScopes, 500_133: .signIn,
    ]
    /// The person, or the client, is not known in the tenant.
    private static let ofTenant: Set<Int64> = [50_020, 90_072, 50_105, 700_016]
    private static let ofClientAtTenant: Set<Int64> = [50_105, 700_016]
    /// Disabled, or not there, which at home is about the account itself.
    private static let ofTenantAwayFromHome: Set<Int64> = [50_034, accountDisabled]
    private static let accountDisabled: Int64 = 50_057
    /// The token was revoked or has expired, or the person's password or session was ended, everywhere.
    private static let ofGrant: Set<Int64> = [50_132, 50_133, 50_173, 70_008, 700_082, 700_084]

    // MARK: Names

    private static let suberrors: [String: RefusalRuling] = [
        "bad_token": .grantEnds,
        "basic_action": RefusalRuling(.request, .signIn), "additional_action": RefusalRuling(.request, .signIn),
        "message_only": RefusalRuling(.request, .signIn), "consent_required": RefusalRuling(.request, .consent),
        "token_expired": RefusalRuling(.request, .signIn),
        "user_password_expired": RefusalRuling(.request, .newPassword),
        "device_authentication_failed": RefusalRuling(.request, .signIn),
    ]

    private static func isAboutClient(_ refusal: Refusal) -> Bool { refusal.error == "unauthorized_client" }

    private static func byName(_ name: String, _ circumstances: RefusalCircumstances) -> RefusalRuling {
        switch name {
        case "invalid_grant", "bad_refresh_token", "bad_verification_code":
            // Another client's grant is not judged by what nobody knows.
            guard circumstances.source == .own else { return RefusalRuling(.request, .signIn) }
            return circumstances.wasServed ? .grantEnds : RefusalRuling(.request, .signIn, needsProbe: true)
        case "consent_required": return RefusalRuling(.request, .consent)
        case "interaction_required", "login_required", "account_selection_required", "access_denied",
            "authorization_declined":
            return RefusalRuling(.request, .signIn)
        case "invalid_scope", "invalid_target", "invalid_resource": return RefusalRuling(.request, .otherScopes)
        case "invalid_client", "unauthorized_client", "incorrect_client_credentials":
            return RefusalRuling(.client, .otherClient)
        // It says nothing of the grant, whatever it means.
        default: return RefusalRuling(.request, nil)
        }
    }
}
