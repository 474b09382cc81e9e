/// What the learned policy weighs the history with.
///
/// The selection is used with ``standard``: the one set of numbers for everybody, found as
/// `Benchmarks/README.md` describes.
public struct LearnedParameters: Sendable {
    /// The weight of each feature near the request and everywhere, by `Feature.rawValue`.
    var near: [Double]
    var everywhere: [Double]
    /// The weights of being last, and of the streak, where the near window is of a wider context than the place.
    var lastInWider: Double
    var streakInWider: Double
    /// The same where another account was last used elsewhere.
    var lastApart: Double
    var streakApart: Double
    /// How likely the best account must be to be taken without asking: from 0 to 1.
    public var threshold: Double
    /// How likely a group's default account is, before anything is known of what was used.
    public var defaultLikelihood: Double

    /// The parameters in a row, for tuning.
    @_spi(Tuning) public var weights: [Double] {
        get { near + everywhere + [lastInWider, streakInWider, lastApart, streakApart] }
        set {
            let count = Feature.allCases.count
            near = Array(newValue[..<count])
            everywhere = Array(newValue[count..<(2 * count)])
            lastInWider = newValue[2 * count]
            streakInWider = newValue[2 * count + 1]
            lastApart = newValue[2 * count + 2]
            streakApart = newValue[2 * count + 3]
        }
    }

    /// The names of ``weights``.
    @_spi(Tuning) public static var names: [String] {
        Feature.allCases.map { "near.\($0)" } + Feature.allCases.map { "everywhere.\($0)" }
            + ["wider.last", "wider.streak", "apart.last", "apart.streak"]
    }
}
