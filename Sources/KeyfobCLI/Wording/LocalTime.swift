internal import Glibc
internal import Keyfob

/// Times as the clock on this machine's wall has them.
enum LocalTime {
    /// `2026-11-23 14:05`, in this machine's time zone.
    static func text(_ time: Timestamp) -> String { String(seconds(time).dropLast(3)) }

    /// When the day of a moment began, in this machine's time zone.
    static func midnight(of time: Timestamp) -> Timestamp {
        var moment = time_t(time.seconds)
        var local = unsafe tm()
        unsafe localtime_r(&moment, &local)
        unsafe (local.tm_hour, local.tm_min, local.tm_sec, local.tm_isdst) = (0, 0, 0, -1)
        return unsafe Timestamp(seconds: Int64(mktime(&local)))
    }

    /// When a day began here, of which a moment is given as UTC's calendar has it.
    static func midnight(ofDayWith time: Timestamp) -> Timestamp {
        var moment = time_t(time.seconds)
        var local = unsafe tm()
        unsafe gmtime_r(&moment, &local)
        unsafe (local.tm_hour, local.tm_min, local.tm_sec, local.tm_isdst) = (0, 0, 0, -1)
        return unsafe Timestamp(seconds: Int64(mktime(&local)))
    }

    /// `2026-11-23 14:05:09`, in this machine's time zone.
    static func seconds(_ time: Timestamp) -> String {
        var moment = time_t(time.seconds)
        var local = unsafe tm()
        unsafe localtime_r(&moment, &local)
        // Not searched for what to replace: a log has thousands.
        let text = unsafe time.advanced(by: Int64(local.tm_gmtoff)).rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).dropLast())"
    }
}
