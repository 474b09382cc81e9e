/// What is measured of a window of the history, for one account.
///
/// "Last" is the account of the newest event. Shares are logarithms of smoothed shares of the window's events
/// under some weight; rates are logarithms of how often the account changed from one event to the next.
enum Feature: Int, CaseIterable, Sendable {
    // Of the last account alone, and zero for the others.

    /// The log odds that the account changes, in people at large, after such a streak and such a pause.
    case populationHazard
    /// The length of its streak.
    case streak
    /// The rate of changes after pauses of that order.
    case rateAtPause
    /// The rate of changes away from it after pauses of about that length.
    case rateFromLastAtPause
    /// The same after streaks of about that length.
    case rateFromLastAtPauseAndStreak
    /// How much oftener than people at large this person changes away from it after such a pause.
    case excessFromLastAtPause
    /// How much oftener than people at large this person has lately changed.
    case excessLately
    /// The same away from it, about this time of the day and of the week.
    case excessFromLastAtHour
    /// Whether it has never been used before its streak, times the streak.
    case isFirstRun
    /// Whether no other account was ever used.
    case isOnly
    /// How many of the accounts were never used.
    case unused
    /// Whether the pause was under half an hour.
    case isSession
    /// How long its streaks have been.
    case meanStreak
    /// How many events there are.
    case count

    // Of every account.

    /// Whether it was used before the last one's streak.
    case isPrevious
    /// Whether it was ever used.
    case isUsed
    /// How long ago it was used.
    case age
    /// How many events ago it was used.
    case rank
    /// Its share, halved every 4 events.
    case share4
    /// Its share, halved every 40 events.
    case share40
    /// Its share, over two hours.
    case shareHours
    /// Its share, over a week.
    case shareWeek
    /// Its share, over two months.
    case shareMonths
    /// Its share about this time of the day.
    case shareAtHour
    /// Its share about this time of the day, of working days or of weekends, over three months.
    case shareAtHourLately
    /// Its share on this day of the week.
    case shareOnDay
    /// Its share of what was used first after four hours' pause.
    case shareFirst
    /// The same about this time of the day, of working days or of weekends.
    case shareFirstAtHour

    // Of every account but the last.

    /// Its share of the others, halved every 8 events.
    case shareOfOthers
    /// Its share of what was changed to from the last one.
    case shareOfChanges

    /// How many there are.
    static let width = allCases.count
}
