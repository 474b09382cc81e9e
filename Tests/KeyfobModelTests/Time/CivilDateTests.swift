import Foundation
import KeyfobModel
import Testing

@Suite("Dates")
struct CivilDateTests {
    private func date(_ seconds: Int64) -> CivilDate { CivilDate(clamping: Timestamp(seconds: seconds)) }

    @Test(
        "seconds have the text that Foundation gives them, and come back",
        arguments: [
            0, -1, 1, 951_782_399, 951_782_400, 951_868_800, 1_795_255_200, 4_107_542_399, -2_203_891_200,
            253_402_300_799, -62_135_596_800,
        ] as [Int64])
    func seconds(time: Int64) {
        let date = date(time)
        // Foundation's calendar is the Julian one before 1582.
        if time > -12_219_292_800 {
            let expected = Date(timeIntervalSince1970: Double(time))
            #expect(date.rfc3339 == expected.formatted(.iso8601))
            #expect(
                date.compact
                    == expected.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)))
        }
        #expect(CivilDate(rfc3339: date.rfc3339)?.time.seconds == time)
        #expect(CivilDate(compact: date.compact)?.time.seconds == time)
    }

    @Test("every day of 900 years has a text of its own that comes back")
    func days() {
        let wrong = (-200_000..<130_000).filter { day in
            let time = Int64(day) * 86_400 + 4_711
            return CivilDate(rfc3339: date(time).rfc3339)?.time.seconds != time
        }
        #expect(wrong == [])
    }

    @Test("the ends of the range")
    func ends() {
        #expect(date(-62_167_219_200).rfc3339 == "0000-01-01T00:00:00Z")
        #expect(date(253_402_300_799).rfc3339 == "9999-12-31T23:59:59Z")
        #expect(date(.min) == date(-62_167_219_200))
        #expect(date(.max) == date(253_402_300_799))
    }

    @Test(
        "what is written in another way is refused",
        arguments: [
            "", "2026-11-21", "2026-11-21T10:15:00", "2026-11-21t10:15:00z", "2026-11-21 10:15:00Z",
            "2026-13-21T10:15:00Z", "2026-00-21T10:15:00Z", "2026-02-29T10:15:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T10:60:00Z", "2026-11-21T10:15:60Z", "2026-11-21T10:15:00+", "+026-11-21T10:15:00Z",
            "2026-11-21T10:15:0\u{0660}",
        ])
    func refused(text: String) {
        #expect(CivilDate(rfc3339: text) == nil)
        #expect(CivilDate(compact: text.filter { $0 != "-" && $0 != ":" }) == nil)
    }

    @Test(
        "HTTP has three forms",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func http(text: String) {
        #expect(CivilDate(httpDate: text)?.rfc3339 == "1994-11-06T08:49:37Z")
    }

    @Test(
        "other forms are none of HTTP's",
        arguments: [
            "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1899 08:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 31 Apr 1994 08:49:37 GMT", "Mon, 29 Feb 2100 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994",
            "Sun, 06 nov 1994 08:49:37 GMT", "Su, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        ])
    func notHTTP(text: String) {
        #expect(CivilDate(httpDate: text) == nil)
    }
}
