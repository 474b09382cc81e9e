internal import KeyfobSodium

extension SecretBuffer {
    /// Makes room for `count` more bytes, where there is none, up to `limit` in all; false where that would be more.
    mutating func makeRoom(for count: Int, limit: Int) -> Bool {
        let total = self.count + count
        guard total <= limit else { return false }
        guard total > capacity else { return true }
        var larger = SecretBuffer(capacity: min(limit, max(total, 2 * capacity)))
        withBytes { larger.append($0) }
        self = larger
        return true
    }
}
