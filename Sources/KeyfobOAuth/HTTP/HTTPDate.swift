internal import KeyfobModel

/// Dates as HTTP headers have them (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The point in time that `text` names in one of the three forms, or nil.
    ///
    /// Two digits of a year are of this century's first seventy years, or of the last century's rest.
    static func parse(_ text: String) -> Timestamp? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
        if words.count == 6, words[5] == "GMT" {
            return timestamp(year: words[3], month: words[2], day: words[1], time: words[4])
        }
        guard words.count == 5, !text.contains(",") else { return nil }
        return timestamp(year: words[4], month: words[1], day: words[2], time: words[3])
    }

    private static func timestamp(year: String, month: String, day: String, time: String) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 2...2) }
        guard var year = number(year, 2...4), let month = months.firstIndex(of: month), let day = number(day, 1...2),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60, (1...31).contains(day)
        else { return nil }
        if year < 100 { year += year < 70 ? 2_000 : 1_900 }
        guard year >= 1_900 else { return nil }
        let days = daysSince1970(year: year, month: Int64(month) + 1, day: day)
        return Timestamp(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// The days from 1970-01-01 to a day of the Gregorian calendar; years begin in March here, so that a leap
    /// day is the last.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let fromMarch = (month + 9) % 12
        let dayOfYear = (153 * fromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func number(_ text: String, _ counts: ClosedRange<Int>) -> Int64? {
        guard counts.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
