/// Times as a bundle has them: RFC 3339 in UTC, without Foundation.
enum BundleTime {
    private static let secondsPerDay: Int64 = 86_400
    /// The first and the last second that four digits of a year can tell.
    private static let seconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    static func clamped(milliseconds: Int64) -> Int64 {
        min(max(milliseconds, seconds.lowerBound * 1_000), seconds.upperBound * 1_000 + 999)
    }

    /// `2026-11-21T10:15:00Z`, or nil outside the years 0000 to 9999.
    static func text(seconds time: Int64) -> String? {
        guard seconds.contains(time) else { return nil }
        let days = (time >= 0 ? time : time - secondsPerDay + 1) / secondsPerDay
        let second = time - days * secondsPerDay
        let (year, month, day) = date(days)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(second / 3_600, 2)):"
            + "\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    /// `2026-11-21T10:15:00.123Z`; the time is clamped.
    static func text(milliseconds: Int64) -> String {
        let time = clamped(milliseconds: milliseconds)
        let whole = (time >= 0 ? time : time - 999) / 1_000
        return (text(seconds: whole) ?? "").dropLast() + ".\(padded(time - whole * 1_000, 3))Z"
    }

    /// The seconds of a text as ``text(seconds:)`` writes it; nil for any other.
    static func seconds(_ text: String) -> Int64? {
        let digits = Array(text.utf8)
        guard digits.count == 20, digits[19] == UInt8(ascii: "Z") else { return nil }
        let numbers = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { number(digits[$0]) }
        guard !numbers.contains(nil) else { return nil }
        let parts = numbers.map { $0 ?? 0 }
        let time = days(parts[0], parts[1], parts[2]) * secondsPerDay + parts[3] * 3_600 + parts[4] * 60 + parts[5]
        // Written again it must be the same: so there is no 30 February, no hour 24, and no other separator.
        return self.text(seconds: time) == text ? time : nil
    }

    /// The milliseconds of a text as ``text(milliseconds:)`` writes it; nil for any other.
    static func milliseconds(_ text: String) -> Int64? {
        let digits = Array(text.utf8)
        guard digits.count == 24, let whole = seconds(String(Substring(text.utf8.prefix(19))) + "Z"),
            let fraction = number(digits[20..<23])
        else { return nil }
        let time = whole * 1_000 + fraction
        return self.text(milliseconds: time) == text ? time : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Days since 1970 of a date in the proleptic Gregorian calendar, counted in years that begin in March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year + 399 : year + 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }

    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468 + 146_097
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
