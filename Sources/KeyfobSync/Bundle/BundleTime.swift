internal import KeyfobModel

/// When a bundle was written: RFC 3339 in UTC, with three digits behind the second.
enum BundleTime {
    static func clamped(milliseconds: Int64) -> Int64 {
        let range = CivilDate.range
        return min(max(milliseconds, range.lowerBound.seconds * 1_000), range.upperBound.seconds * 1_000 + 999)
    }

    /// `2026-11-21T10:15:00.123Z`; the time is clamped.
    static func text(milliseconds: Int64) -> String {
        let time = clamped(milliseconds: milliseconds)
        let whole = (time >= 0 ? time : time - 999) / 1_000
        return Timestamp(seconds: whole).rfc3339.dropLast() + ".\(CivilDate.padded(time - whole * 1_000, 3))Z"
    }

    /// The milliseconds of a text as ``text(milliseconds:)`` writes it; nil for any other.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, let fraction = Int64(digits: bytes[20..<23]),
            let date = CivilDate(rfc3339: String(decoding: bytes[..<19], as: UTF8.self) + "Z")
        else { return nil }
        let time = date.time.seconds * 1_000 + fraction
        return self.text(milliseconds: time) == text ? time : nil
    }
}
