internal import Keyfob

/// Times as people read and type them.
enum TimeText {
    /// How far away a time is: `in 42 min`, `0 s ago`, `3 h ago`.
    static func distance(to time: Timestamp, from now: Timestamp) -> String {
        let seconds = seconds(from: now, to: time)
        return seconds > 0 ? "in \(amount(seconds))" : "\(amount(-seconds)) ago"
    }

    /// When something is, by this machine's clock and from now: `2026-11-23 14:05 (in 42 min)`.
    static func moment(_ time: Timestamp, now: Timestamp = WallClock.system.now) -> String {
        "\(LocalTime.text(time)) (\(distance(to: time, from: now)))"
    }

    /// A text with the moments in it, which are UTC's as programs read them, by this machine's clock.
    static func local(in text: String) -> String {
        text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/) { match in
            CivilDate(rfc3339: String(match.output)).map { LocalTime.text($0.time) } ?? String(match.output)
        }
    }

    private static func seconds(from start: Timestamp, to end: Timestamp) -> Int64 {
        max(-(1 << 40), min(1 << 40, end.seconds.subtractingReportingOverflow(start.seconds).partialValue))
    }

    private static func amount(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        case ..<63_072_000: "\(seconds / 86_400) days"
        default: "\(seconds / 31_536_000) years"
        }
    }

    /// The moment from which on something is meant, as it is typed; nil for what is none.
    ///
    /// `today`, `yesterday` and a date are days by this machine's clock. A duration counts back from now.
    static func begin(_ text: String, now: Timestamp = WallClock.system.now) -> Timestamp? {
        switch text.lowercased() {
        case "today": return LocalTime.midnight(of: now)
        case "yesterday":
            // A day may have 23 hours.
            return LocalTime.midnight(of: LocalTime.midnight(of: now).advanced(by: -7_200))
        default: break
        }
        if let moment = CivilDate(rfc3339: text) { return moment.time }
        if let day = CivilDate(rfc3339: text + "T12:00:00Z") { return LocalTime.midnight(ofDayWith: day.time) }
        return seconds(text).map { now.advanced(by: -Int64($0)) }
    }

    /// A duration as it is typed, with its unit: `90s`, `15m`, `8h`, `2d`.
    static func seconds(_ text: String) -> UInt32? {
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), digits.allSatisfy(\.isNumber), let amount = UInt32(digits),
            amount > 0
        else { return nil }
        let (product, overflow) = amount.multipliedReportingOverflow(by: unit)
        return overflow ? nil : product
    }
}
