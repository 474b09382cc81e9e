/// What this process noted lately of the use of tokens, so that whoever asks again and again does not fill the history.
struct RecentUses {
    /// What makes two uses the same.
    struct Use: Hashable {
        let account: AccountID
        let group: AccessGroup
        let tool: String?
        let host: String?
        let directory: String?
    }

    /// More are not told from new ones.
    private static let limit = 32

    private var times: [(use: Use, time: Int64)] = []

    /// Whether a use has to be noted; it then counts as noted.
    mutating func isFirst(_ use: Use, at now: Int64, within seconds: Int64) -> Bool {
        if let index = times.firstIndex(where: { $0.use == use }) {
            guard !(0..<seconds).contains(now - times[index].time) else { return false }
            times.remove(at: index)
        }
        if times.count == Self.limit { times.removeFirst() }
        times.append((use, now))
        return true
    }
}
