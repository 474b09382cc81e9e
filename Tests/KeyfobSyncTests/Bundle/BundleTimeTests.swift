import Foundation
import Testing

@testable import KeyfobSync

@Suite("The times of a bundle")
struct BundleTimeTests {
    @Test(
        "seconds have the text that Foundation gives them, and come back",
        arguments: [
            0, -1, 1, 951_782_399, 951_782_400, 951_868_800, 1_795_255_200, 4_107_542_399, -2_203_891_200,
            253_402_300_799, -62_135_596_800,
        ] as [Int64])
    func seconds(time: Int64) {
        let text = BundleTime.text(seconds: time)
        // Foundation's calendar is the Julian one before 1582.
        if time > -12_219_292_800 {
            #expect(text == Date(timeIntervalSince1970: Double(time)).formatted(.iso8601))
        }
        #expect(text.flatMap(BundleTime.seconds) == time)
    }

    @Test("every day of 900 years has a text of its own that comes back")
    func days() {
        let wrong = (-200_000..<130_000).filter { day in
            let time = Int64(day) * 86_400 + 4_711
            return BundleTime.text(seconds: time).flatMap(BundleTime.seconds) != time
        }
        #expect(wrong == [])
    }

    @Test("the ends of the range")
    func ends() {
        #expect(BundleTime.text(seconds: -62_167_219_200) == "0000-01-01T00:00:00Z")
        #expect(BundleTime.text(seconds: 253_402_300_799) == "9999-12-31T23:59:59Z")
        #expect(BundleTime.text(seconds: -62_167_219_201) == nil)
        #expect(BundleTime.text(seconds: 253_402_300_800) == nil)
        #expect(BundleTime.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
        #expect(BundleTime.text(milliseconds: .min) == "0000-01-01T00:00:00.000Z")
        #expect(BundleTime.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
        #expect(BundleTime.milliseconds("1969-12-31T23:59:59.999Z") == -1)
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
        #expect(BundleTime.seconds(text) == nil)
    }
}
