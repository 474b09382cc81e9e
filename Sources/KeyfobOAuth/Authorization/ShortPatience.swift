package import KeyfobModel

/// How often, and after how long, a request is made again on which a code or a person's answer depends.
///
/// A code is good for some minutes (RFC 6749, section 4.1.2), so that half a minute is waited for in all.
package struct ShortPatience {
    private static let attemptLimit = 4
    /// In seconds.
    private static let longest: Int64 = 30
    /// Where the provider does not say how long to wait, in seconds.
    private static let unnamed: Int64 = 1

    private var attempts = 1
    private var waited: Int64 = 0

    /// After the first request.
    package init() {}

    /// For how many seconds to wait before the next request; nil where none is to be made.
    package mutating func wait(after failure: ProviderFailure, now: Timestamp) -> Int64? {
        let retryAt: Timestamp?
        switch failure {
        case .throttled(let until): retryAt = until
        case .serverDown(_, let time): retryAt = time
        case .unreachable: retryAt = nil
        default: return nil
        }
        let seconds = max(Self.unnamed, retryAt.map { $0.seconds - now.seconds } ?? Self.unnamed)
        guard attempts < Self.attemptLimit, seconds <= Self.longest - waited else { return nil }
        attempts += 1
        waited += seconds
        return seconds
    }
}
