/// A second of the Gregorian calendar in UTC, in one of the years 0000 to 9999; leap seconds are not counted.
package struct CivilDate: Hashable, Sendable {
    /// The moment.
    package let time: Timestamp
    private let year: Int64
    private let month: Int64
    private let day: Int64

    private static let secondsPerDay: Int64 = 86_400
    /// From 0000-03-01 to 1970-01-01, and the days of the 400 years after which the calendar repeats.
    private static let (epoch, cycle): (Int64, Int64) = (719_468, 146_097)
    /// The first and the last second.
    package static let range = Timestamp(seconds: -62_167_219_200)...Timestamp(seconds: 253_402_300_799)

    /// The date of a moment, which is held at the ends of the range.
    package init(clamping time: Timestamp) {
        self.time = min(max(time, Self.range.lowerBound), Self.range.upperBound)
        let seconds = self.time.seconds
        let days = (seconds >= 0 ? seconds : seconds - Self.secondsPerDay + 1) / Self.secondsPerDay
        // Years that begin in March have the leap day at their end.
        let shifted = days + Self.epoch + Self.cycle
        let dayOfCycle = shifted % Self.cycle
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfCycle + (shifted / Self.cycle - 1) * 400 + (month <= 2 ? 1 : 0)
    }

    /// The date that is written so; nil outside the range, and for an hour or a month that no clock and no calendar has.
    ///
    /// The 31st of a shorter month, and a leap second, are taken for what comes after them.
    package init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
        guard (0...9_999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let shifted = month <= 2 ? year + 399 : year + 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - Self.epoch - Self.cycle
        let time = Timestamp(seconds: days * Self.secondsPerDay + hour * 3_600 + minute * 60 + second)
        guard Self.range.contains(time) else { return nil }
        self.init(clamping: time)
    }

    /// `20261121T101500Z`, as it stands in a file's name.
    package var compact: String { text(dateSeparator: "", timeSeparator: "") }

    /// The date that ``compact`` gives; nil for any other text.
    package init?(compact text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16 else { return nil }
        self.init(bytes, [0..<4, 4..<6, 6..<8, 9..<11, 11..<13, 13..<15])
        guard compact == text else { return nil }
    }

    /// `2026-11-21T10:15:00Z` (RFC 3339).
    package var rfc3339: String { text(dateSeparator: "-", timeSeparator: ":") }

    /// The date that ``rfc3339`` gives; nil for any other text.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return nil }
        self.init(bytes, [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19])
        // Written again it must be the same: so there is no 30 February, no second 60, and no other separator.
        guard rfc3339 == text else { return nil }
    }

    /// The date whose year, month, day, hour, minute and second stand at `places`.
    package init?(_ text: [UInt8], _ places: [Range<Int>]) {
        let numbers = places.compactMap { Int64(digits: text[$0]) }
        guard numbers.count == 6 else { return nil }
        self.init(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
    }

    private func text(dateSeparator: String, timeSeparator: String) -> String {
        let second = time.seconds - Self.range.lowerBound.seconds
        let clock = [second / 3_600 % 24, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        let date = [Self.padded(year, 4), Self.padded(month, 2), Self.padded(day, 2)]
        return "\(date.joined(separator: dateSeparator))T\(clock.joined(separator: timeSeparator))Z"
    }

    /// A number that is not negative in at least `count` digits.
    package static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
