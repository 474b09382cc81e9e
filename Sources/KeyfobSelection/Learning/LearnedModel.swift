internal import Glibc
internal import KeyfobModel

/// How likely each account is, by what was used before.
///
/// A conditional logit: each account's score is a weighted sum of its features, near the request and everywhere, and
/// the probabilities are the normalised exponentials of the scores.
struct LearnedModel {
    /// What was used, near and everywhere.
    let windows: ContextWindows
    private let near: WindowFeatures
    private let everywhere: WindowFeatures
    /// The score of each slot, and at the end that of an account never used.
    private let scores: [Double]
    private let parameters: LearnedParameters

    /// Measures `history` at `now` for a choice among `candidateCount` accounts.
    init(
        _ history: UsageHistory, now: Timestamp, candidateCount: Int, parameters: LearnedParameters,
        isCandidate: @escaping (UsageTag) -> Bool
    ) {
        let windows = ContextWindows(history, isCandidate: isCandidate)
        let slotCount = windows.accounts.count
        let time = Double(now.seconds)
        let near = WindowFeatures(of: windows.near, now: time, slotCount: slotCount, candidateCount: candidateCount)
        let everywhere = WindowFeatures(
            of: windows.everywhere, now: time, slotCount: slotCount, candidateCount: candidateCount)
        let weights = parameters.weights
        scores = (0...slotCount).map { slot in
            var (score, column) = (0.0, 0)
            for row in [near.row(of: slot), everywhere.row(of: slot)] {
                for value in row {
                    score += value * weights[column]
                    column += 1
                }
            }
            guard slot == windows.near.slots.last else { return score }
            for value in Self.ofBoth(windows, near, slot) {
                score += value * weights[column]
                column += 1
            }
            return score
        }
        self.windows = windows
        self.near = near
        self.everywhere = everywhere
        self.parameters = parameters
    }

    /// What the two windows say together of the account that was last used near.
    private static func ofBoth(_ windows: ContextWindows, _ near: WindowFeatures, _ slot: Int) -> [Double] {
        let streak = near.row(of: slot)[Feature.streak]
        let isWider = windows.level != .place
        let isApart = slot != windows.everywhere.slots.last
        return [isWider ? 1 : 0, isWider ? streak : 0, isApart ? 1 : 0, isApart ? streak : 0]
    }

    /// The rows of features behind the scores: one for each slot, and one for an account never used.
    var features: [[Double]] {
        scores.indices.map { slot in
            let both = slot == windows.near.slots.last ? Self.ofBoth(windows, near, slot) : [0, 0, 0, 0]
            return Array(near.row(of: slot)) + Array(everywhere.row(of: slot)) + both
        }
    }

    /// Whether nothing was ever used.
    var isBlank: Bool { windows.accounts.isEmpty }

    /// So many other accounts that were never used count, and no more: where there are thousands, habits are habits still.
    static let strangerLimit = 8

    /// The probability of each slot, and of any one account that was never used.
    ///
    /// - Parameters:
    ///   - count: How many accounts there are.
    ///   - preferred: The slot of the group's default, `scores.count - 1` where it was never used; nil where there is none.
    func probabilities(among count: Int, preferred: Int?) -> (slots: [Double], unused: Double, preferred: Double?) {
        let slotCount = windows.accounts.count
        let isUnused = preferred == slotCount
        let strangers = max(0, count - slotCount - (isUnused ? 1 : 0))
        let counted = min(strangers, Self.strangerLimit)
        // What a default is worth does not depend on how many others there are.
        let odds = parameters.defaultLikelihood / (1 - parameters.defaultLikelihood)
        let bonus = odds * Double(max(1, count - strangers + counted - 1))
        let highest = scores.max() ?? 0
        var shares = scores.map { exp($0 - highest) }
        let preferredShare = preferred.map { shares[$0] * bonus }
        if let preferred, let preferredShare, !isUnused { shares[preferred] = preferredShare }
        let unused = shares[slotCount]
        var total = shares[..<slotCount].reduce(0, +)
        total += unused * Double(counted) + (isUnused ? preferredShare ?? 0 : 0)
        guard total > 0, total.isFinite else { return (shares.dropLast().map { _ in 0 }, 0, nil) }
        // Those that count for nothing more share what the others have.
        let thinning = strangers > counted ? Double(counted) / Double(strangers) : 1
        return (
            shares[..<slotCount].map { $0 / total }, unused * thinning / total, preferredShare.map { $0 / total }
        )
    }
}
