internal import Glibc

/// Connections that are not let in, told once for each user, so that nobody fills a terminal which is not theirs.
struct StrangerTally {
    /// How many users are told apart.
    private static let limit = 16

    private enum Stranger: Hashable {
        case user(uid_t)
        case other
        case nobody
    }

    private var counts: [Stranger: Int] = [:]

    /// Takes note of a connection of a user, or of nobody's.
    ///
    /// - Returns: What is to be told, for the first one.
    mutating func note(_ user: uid_t?) -> String? {
        var stranger = user.map { Stranger.user($0) } ?? .nobody
        if counts[stranger] == nil, counts.count >= Self.limit { stranger = .other }
        counts[stranger, default: 0] += 1
        guard counts[stranger] == 1 else { return nil }
        return switch stranger {
        case .user(let user): "a connection: it is of another user (\(user)); further ones are counted"
        case .other: "connections of more users than are told apart; they are counted"
        case .nobody: "a connection: nobody can tell whose it is; further ones are counted"
        }
    }

    /// What there is to tell at the end: how many came after the first one of each.
    var summary: [String] {
        let users = counts.compactMap { stranger, count -> (user: uid_t, count: Int)? in
            if case .user(let user) = stranger { (user, count) } else { nil }
        }
        var lines = users.sorted { $0.user < $1.user }.map { ("of another user (\($0.user))", $0.count) }
        if let count = counts[.other] { lines.append(("of other users", count)) }
        if let count = counts[.nobody] { lines.append(("of nobody who could be told", count)) }
        return lines.filter { $0.1 > 1 }.map { "\($0.1 - 1) more connection\($0.1 == 2 ? "" : "s") \($0.0)" }
    }
}
