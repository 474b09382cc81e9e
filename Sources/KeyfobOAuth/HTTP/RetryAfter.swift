package import KeyfobModel

/// The `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest wait that is honoured, in seconds.
    package static let longest: Int64 = 3_600
    /// The wait where a provider asks for one and names none, in seconds.
    package static let unnamed: Int64 = 60

    /// Until when to wait: seconds or a date, never in the past and never longer than ``longest``.
    package static func parse(_ value: String?, now: Timestamp) -> Timestamp? {
        guard let value, !value.isEmpty else { return nil }
        let latest = now.advanced(by: longest)
        if value.utf8.allSatisfy(\.isASCIIDigit) {
            return min(latest, Int64(value).map { now.advanced(by: $0) } ?? latest)
        }
        return CivilDate(httpDate: value).map { max(now, min(latest, $0.time)) }
    }
}
