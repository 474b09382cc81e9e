extension LearnedParameters {
    /// The parameters that Keyfob is used with.
    ///
    /// The weights come from `Benchmarks/fit-selection.py`; `Benchmarks/README.md` tells how they were found, and how
    /// well they do.
    public static let standard = LearnedParameters(
        near: table.map { $0.near }, everywhere: table.map { $0.everywhere }, lastInWider: -1.0915,
        streakInWider: -0.5684,
        lastApart: 0.5144, streakApart: -0.3977, threshold: 0.9, defaultLikelihood: 0.97)

    /// The weights of the features, in their order.
    private static let table: [(feature: Feature, near: Double, everywhere: Double)] = [
        (.populationHazard, -0.1001, -0.1164),
        (.streak, -0.1313, -0.0408),
        (.rateAtPause, -0.2111, -0.0871),
        (.rateFromLastAtPause, 0.0888, 0.1047),
        (.rateFromLastAtPauseAndStreak, -0.2040, -0.2966),
        (.excessFromLastAtPause, -0.4193, -0.3227),
        (.excessLately, -0.7676, 0.9226),
        (.excessFromLastAtHour, -0.1119, -0.3881),
        (.isFirstRun, -0.0802, 0.0359),
        (.isOnly, 0.3453, -0.7044),
        (.unused, 0.2559, -0.0068),
        (.isSession, -0.6847, 0.6319),
        (.meanStreak, 0.0026, -0.1492),
        (.count, 0.1961, -0.0341),
        (.isPrevious, 0.8100, 0.6494),
        (.isUsed, 1.1636, 1.3159),
        (.age, -0.0961, -0.0724),
        (.rank, -0.0654, -0.1141),
        (.share4, 0.1369, 0.1881),
        (.share40, -0.0638, -0.1234),
        (.shareHours, -0.0998, 0.0661),
        (.shareWeek, -0.0792, 0.1442),
        (.shareMonths, 0.1110, 0.1202),
        (.shareAtHour, -0.0074, -0.0494),
        (.shareAtHourLately, 0.0162, 0.0890),
        (.shareOnDay, 0.1615, -0.1367),
        (.shareFirst, -0.0260, -0.0812),
        (.shareFirstAtHour, 0.0857, 0.0825),
        (.shareOfOthers, 0.2562, -0.0904),
        (.shareOfChanges, -0.2807, 0.0853),
    ]
}
