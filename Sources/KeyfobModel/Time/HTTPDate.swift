extension CivilDate {
    /// The date that an HTTP header names in one of the three forms of RFC 9110, section 5.6.7; nil for anything else.
    ///
    /// Two digits of a year are of this century's first seventy years, or of the last century's rest.
    package init?(httpDate text: String) {
        var rest = Array(text.utf8)[...]
        let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        guard let day = days.first(where: { rest.starts(with: $0.utf8.prefix(3)) }) else { return nil }
        let isLong = rest.starts(with: day.utf8)
        rest = rest.dropFirst(isLong ? day.utf8.count : 3)
        let words = Array(rest)
        // Where day, month, year, hour, minute and second are.
        let places: [Range<Int>]
        if isLong {
            guard Self.hasForm(", 00-aaa-00 00:00:00 GMT", words) else { return nil }
            places = [2..<4, 5..<8, 9..<11, 12..<14, 15..<17, 18..<20]
        } else if words.first == UInt8(ascii: ",") {
            guard Self.hasForm(", 00 aaa 0000 00:00:00 GMT", words) else { return nil }
            places = [2..<4, 5..<8, 9..<13, 14..<16, 17..<19, 20..<22]
        } else {
            guard Self.hasForm(" aaa 00 00:00:00 0000", words) || Self.hasForm(" aaa  0 00:00:00 0000", words) else {
                return nil
            }
            places = [words[5] == 0x20 ? 6..<7 : 5..<7, 1..<4, 17..<21, 8..<10, 11..<13, 14..<16]
        }
        self.init(httpDate: words, places)
    }

    /// Whether digits, letters and all else stand where `0`, `a` and all else stand in a form.
    private static func hasForm(_ form: String, _ text: [UInt8]) -> Bool {
        let form = Array(form.utf8)
        return form.count == text.count
            && form.indices.allSatisfy { index in
                switch form[index] {
                case UInt8(ascii: "0"): text[index].isASCIIDigit
                case UInt8(ascii: "a"): (text[index] | 0x20).isASCIISmallLetter
                default: text[index] == form[index]
                }
            }
    }

    private init?(httpDate text: [UInt8], _ places: [Range<Int>]) {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func number(_ place: Int) -> Int64? { Int64(digits: text[places[place]]) }
        guard let month = months.firstIndex(where: { text[places[1]].elementsEqual($0.utf8) }), let day = number(0),
            let written = number(2), let hour = number(3), let minute = number(4), let second = number(5)
        else { return nil }
        let isShort = places[2].count == 2
        let year = isShort ? written + (written < 70 ? 2_000 : 1_900) : written
        // The 30th of February is no date.
        let lengths: [Int64] = [
            31, year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
        ]
        guard year >= 1_900, (1...lengths[month]).contains(day) else { return nil }
        self.init(year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second)
    }
}
