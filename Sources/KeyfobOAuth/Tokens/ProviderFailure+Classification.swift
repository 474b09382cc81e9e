package import KeyfobModel
internal import KeyfobSodium

extension ProviderFailure {
    /// What a refusal means.
    ///
    /// Microsoft says `invalid_grant` also where only this request lacks something; its suberror tells.
    package init(_ refusal: Refusal) {
        // It is about this request, whatever its name: the refresh token is as good as before. No sign-in mends what a
        // client may not.
        if refusal.policy != nil, refusal.error != "unauthorized_client" {
            self = .interactionRequired(refusal)
            return
        }
        switch refusal.error {
        case nil: self = .refusedWithoutReason(refusal)
        case "invalid_grant":
            self =
                Self.interactiveSuberrors.contains(refusal.suberror ?? "")
                ? .interactionRequired(refusal) : .invalidGrant(refusal)
        case "interaction_required", "login_required", "consent_required", "account_selection_required":
            self = .interactionRequired(refusal)
        case "access_denied", "authorization_declined": self = .denied(refusal)
        case "invalid_scope", "invalid_target", "invalid_resource": self = .scopeRefused(refusal)
        case "invalid_client", "unauthorized_client", "incorrect_client_credentials": self = .clientRefused(refusal)
        case "bad_refresh_token", "bad_verification_code": self = .invalidGrant(refusal)
        default: self = .requestRefused(refusal)
        }
    }

    private static let interactiveSuberrors = [
        "consent_required", "basic_action", "additional_action", "message_only", "user_password_expired",
        "protection_policy_required",
    ]

    /// Why `response` is no success, or nil where it is one.
    ///
    /// An `error` in a body counts whatever the status is: GitHub sends refusals with 200.
    package static func classify(_ response: borrowing HTTPResponse, now: Timestamp) -> ProviderFailure? {
        let status = response.status
        let retryAt = RetryAfter.parse(response.header("Retry-After"), now: now)
        if status == 429 { return .throttled(until: retryAt ?? now.advanced(by: RetryAfter.unnamed)) }
        if status >= 500 {
            if status == 503, let retryAt { return .throttled(until: retryAt) }
            return .serverDown(status: status, retryAt: retryAt)
        }
        guard status == 200 || (400...499).contains(status) else { return .unexpectedStatus(status) }
        let refusal: Refusal?
        do {
            refusal = try response.body.withBytes { bytes throws(ProtocolViolation) in
                guard bytes.byteCount > 0 else { throw .empty }
                return Refusal.reading(try JSONFields(reading: bytes), status: status, in: bytes)
            }
        } catch {
            if error == .empty, status == 400 || status == 401 {
                return .refusedWithoutReason(Refusal(status: status))
            }
            if status == 403 || status == 404 || status == 405 { return .unexpectedStatus(status) }
            return .protocolViolation(response.looksLikeHTML ? .html : error, status: status)
        }
        if let refusal {
            if let retryAt, retryAt > now { return .throttled(until: retryAt) }
            return refusal.error == "temporarily_unavailable" || refusal.error == "server_error"
                ? .serverDown(status: status, retryAt: nil) : ProviderFailure(refusal)
        }
        guard status == 200 else {
            return status == 400 || status == 401
                ? .refusedWithoutReason(Refusal(status: status)) : .unexpectedStatus(status)
        }
        return nil
    }
}
