package import KeyfobModel

extension RefreshFailure {
    /// What others have to know of `failure` after `token` was used.
    ///
    /// It is nil where the failure concerns nobody else, being about the request or about this process's settings, and where
    /// the state of the grant tells them.
    package init?(_ failure: ProviderFailure, of token: TokenIdentity, at time: Timestamp) {
        let kind: Kind
        var (status, detail) = (0, "")
        var retryAt: Timestamp?
        switch failure {
        case .refusedWithoutReason(let refusal):
            // Another client's grant is not judged from here.
            guard token.source == .own else { return nil }
            (kind, status) = (.refusedWithoutReason, refusal.status)
        case .throttled(let until): (kind, retryAt) = (.throttled, until)
        case .serverDown(let number, _): (kind, status) = (.serverDown, number)
        case .unexpectedStatus(let number): (kind, status) = (.unexpectedStatus, number)
        case .protocolViolation(let violation, let number):
            (kind, status, detail) = (.protocolViolation, number, "\(violation)")
        case .unreachable(let reason): (kind, detail) = (.unreachable, reason.rawValue)
        case .outcomeUnknown: kind = .outcomeUnknown
        case .invalidGrant, .interactionRequired, .denied, .scopeRefused, .clientRefused, .requestRefused,
            .untrustedCertificate, .noHTTPLibrary, .noThread:
            return nil
        }
        self.init(kind, status: status, detail: detail, version: token.version, time: time, retryAt: retryAt)
    }

    /// The failure as somebody meets it who began at `startedAt` and would send the same refresh token; nil where it
    /// is nothing to them.
    ///
    /// Who began before it, or in the same second and had to wait, shares it. Who comes later asks anew, but for a wait that the provider asked for,
    /// and for a refusal without a reason, which only who forces it questions at once. What lies in the future says that
    /// the clock was set back.
    package func shared(
        by startedAt: Timestamp, isForced: Bool, hasWaited: Bool = true, now: Timestamp
    ) -> ProviderFailure? {
        guard time <= now else { return nil }
        let hasWaited = startedAt < time || hasWaited && startedAt == time
        switch kind {
        case .throttled:
            guard let retryAt, retryAt > now else { return nil }
            return .throttled(until: retryAt)
        case .refusedWithoutReason:
            let isPaused = !isForced && now < time.advanced(by: Self.refusalPause)
            return hasWaited || isPaused ? .refusedWithoutReason(Refusal(status: status)) : nil
        case .serverDown: return hasWaited ? .serverDown(status: status, retryAt: nil) : nil
        case .unexpectedStatus: return hasWaited ? .unexpectedStatus(status) : nil
        case .protocolViolation: return hasWaited ? .protocolViolation(.reported(detail), status: status) : nil
        case .unreachable: return hasWaited ? .unreachable(UnreachableReason(rawValue: detail) ?? .broken) : nil
        case .outcomeUnknown: return hasWaited ? .outcomeUnknown : nil
        }
    }
}
