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
            bytes[16] == UInt8(ascii: ":"),
            let wall = CivilDate(bytes, [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19])?.time.seconds, wall >= 0
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let end = rest.dropFirst().firstIndex { !$0.isASCIIDigit } ?? rest.endIndex
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
            bytes.count <= 6, let hours = Int64(digits: digits[0..<2]), let minutes = Int64(digits: digits[2..<4]),
            hours < 24,
            minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
