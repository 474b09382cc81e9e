internal import KeyfobModel

/// Reads the times of ADAL.
enum ADALTime {
    /// Seconds from 1970 to 2001, the beginning of Apple's count.
    private static let appleEpoch = 978_307_200.0

    /// The moment `seconds` after the beginning of 2001; nil for what is not between the years 1970 and 9999.
    static func timestamp(since2001 seconds: Double) -> Timestamp? {
        let sum = seconds + appleEpoch
        guard sum >= 0, sum <= Double(MSALTime.latest) else { return nil }
        return Timestamp(seconds: Int64(sum))
    }

    /// The moment that a text names: `2018-03-01 12:34:56.123456` by the clock on the wall, as ADAL for Python
    /// writes it, or with `T` and a `Z` or an offset, as ADAL for Node does.
    ///
    /// - Parameter offset: How many seconds the clock on the wall was ahead of UTC at a moment.
    static func timestamp(_ text: String, offset: (Timestamp) -> Int64) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes.count <= 40, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
            let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            year >= 1970, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let wall = (days(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let end = rest.dropFirst().firstIndex { number([$0]) == nil } ?? rest.endIndex
            guard end > rest.startIndex + 1 else { return nil }
            rest = rest[end...]
        }
        if rest.isEmpty { return utc(wall, offset) }
        guard let ahead = zone(Array(rest)) else { return nil }
        return Timestamp(seconds: max(0, wall - ahead))
    }

    /// The moment at which the clock on the wall showed this; the first where it showed it twice.
    private static func utc(_ wall: Int64, _ offset: (Timestamp) -> Int64) -> Timestamp {
        let candidates = [-86_400, 86_400].map { wall - offset(Timestamp(seconds: wall + $0)) }
        let right = candidates.filter { $0 + offset(Timestamp(seconds: $0)) == wall }
        return Timestamp(seconds: max(0, right.min() ?? candidates.min() ?? wall))
    }

    /// `Z`, `+01:00` or `-0800` in seconds.
    private static func zone(_ bytes: [UInt8]) -> Int64? {
        if bytes == [UInt8(ascii: "Z")] { return 0 }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
            bytes.count <= 6, let hours = number(digits[0..<2]), let minutes = number(digits[2..<4]), hours < 24,
            minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// Days from 1970-01-01 in the Gregorian calendar.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years that begin in March have the leap day at their end.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func number(_ digits: some Sequence<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
