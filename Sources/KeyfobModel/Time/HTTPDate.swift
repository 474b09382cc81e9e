extension CivilDate {
    /// The date that an HTTP header names (RFC 9110, section 5.6.7) in one of its three forms; nil for anything else.
    ///
    /// Two digits of a year are of this century's first seventy years, or of the last century's rest.
    package init?(httpDate text: String) {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
        if words.count == 6, words[5] == "GMT" {
            self.init(year: words[3], month: words[2], day: words[1], time: words[4])
        } else {
            guard words.count == 5, !text.contains(",") else { return nil }
            self.init(year: words[4], month: words[1], day: words[2], time: words[3])
        }
    }

    private init?(year: String, month: String, day: String, time: String) {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...4).contains(year.utf8.count), (1...2).contains(day.utf8.count), clock.count == 3,
            clock.allSatisfy({ $0.utf8.count == 2 }), let month = months.firstIndex(of: month)
        else { return nil }
        let numbers = ([year[...], day[...]] + clock).compactMap { Int64(digits: Array($0.utf8)) }
        guard numbers.count == 5 else { return nil }
        let year = numbers[0] + (numbers[0] < 70 ? 2_000 : numbers[0] < 100 ? 1_900 : 0)
        guard year >= 1_900 else { return nil }
        self.init(
            year: year, month: Int64(month) + 1, day: numbers[1], hour: numbers[2], minute: numbers[3],
            second: numbers[4])
    }
}
