package import KeyfobModel

/// How the access token for a request stands.
package enum AccessTokenState: Hashable, Sendable, CaseIterable {
    /// There is none.
    case none
    /// To be handed out.
    case fresh
    /// Valid, but past the moment at which it should be replaced.
    case aging
    /// Expired or about to; its extended lifetime lasts.
    case extended
    /// Expired for good, or from the future.
    case expired

    /// How `credential` stands at `now` for somebody who needs it for `minimumValidity` seconds; nil for as long as usual.
    package init(_ credential: Credential?, now: Timestamp, minimumValidity: Int64?) {
        switch credential?.freshness(now: now, minimumValidity: minimumValidity) {
        case nil: self = .none
        case .fresh: self = .fresh
        case .aging: self = .aging
        case .fromTheFuture: self = .expired
        case .expired:
            let isExtended = credential?.extendedExpiresOn.map { $0 > now } ?? false
            self = isExtended ? .extended : .expired
        }
    }
}
