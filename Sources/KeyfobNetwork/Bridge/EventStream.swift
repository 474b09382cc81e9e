internal import KeyfobModel
internal import KeyfobSodium

/// The events of a `text/event-stream` (HTML, section 9.2.6), as its bytes come.
struct EventStream {
    /// An event with data.
    struct Event: Hashable, Sendable {
        /// What kind it is; `message` unless it says.
        let name: String
        /// What names it, where somebody is to go on behind it.
        let id: String?
        let data: [UInt8]
    }

    /// A line or an event is longer than the limit.
    struct TooLong: Error, Hashable, Sendable {}

    /// The most that an event's id may have, in bytes: it goes back in a header.
    static let idLimit = 1_024

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var name = ""
    private var isAfterReturn = false
    private var isFirstLine = true
    /// The id of the last event, behind which somebody can go on.
    private(set) var lastID: String?
    private var id: String?
    /// For how many milliseconds the service wants others to wait before they come again.
    private(set) var retry: Int64?

    /// - Parameter limit: The most bytes of an event.
    init(limit: Int) { self.limit = limit }

    /// Goes on with what comes over another connection: what was not whole does not count.
    mutating func begin() {
        (line, data, hasData, name, id, isAfterReturn) = ([], [], false, "", lastID, false)
        isFirstLine = true
    }

    /// Takes the next bytes.
    ///
    /// - Returns: The events that are whole now.
    mutating func take(_ part: [UInt8]) throws(TooLong) -> [Event] {
        var events: [Event] = []
        var start = part.startIndex
        while start < part.endIndex {
            if isAfterReturn, part[start] == 0x0A {
                (isAfterReturn, start) = (false, start + 1)
                continue
            }
            isAfterReturn = false
            guard let end = part[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
                line += part[start...]
                break
            }
            line += part[start..<end]
            isAfterReturn = part[end] == 0x0D
            start = end + 1
            guard line.count + data.count <= limit else { throw TooLong() }
            if let event = takeLine() { events.append(event) }
        }
        guard line.count + data.count <= limit else { throw TooLong() }
        return events
    }

    /// Takes a line; an empty one ends an event.
    private mutating func takeLine() -> Event? {
        defer { line.removeAll(keepingCapacity: line.count < 4_096) }
        var line = line[...]
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let field = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line[field.endIndex...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            if hasData { data.append(0x0A) }
            data += value
            hasData = true
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id":
            let text = String(decoding: value, as: UTF8.self)
            // One that no header can have is none.
            if value.count <= Self.idLimit, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) { id = text }
        case "retry":
            if !value.isEmpty, value.allSatisfy(\.isASCIIDigit) {
                retry = Int64(String(decoding: value, as: UTF8.self))
            }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (data, hasData, name) = ([], false, "") }
        lastID = id?.isEmpty == true ? nil : id
        guard hasData, !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, id: lastID, data: data)
    }
}
