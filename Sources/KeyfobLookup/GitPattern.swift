internal import KeyfobModel

/// A pattern of paths or addresses, as conditions in git's configuration have them (gitignore(5)).
///
/// `*` and `?` stand for anything but a slash; `**/`, `/**/` and `/**` for whole folders. It takes time in proportion to the
/// lengths of both, whatever the pattern.
struct GitPattern {
    private enum Token {
        case byte(UInt8)
        /// `?`
        case one
        /// `*`
        case some
        /// `**` at the end, behind a slash.
        case everything
        /// `**/` at the beginning, or behind a slash: no folder, or several.
        case folders
    }

    private static let slash = UInt8(ascii: "/")

    private var tokens: [Token] = []
    private let isCaseless: Bool

    /// A pattern; nil for one with brackets, which nobody reads here.
    init?(_ text: String, isCaseless: Bool = false) {
        self.isCaseless = isCaseless
        let bytes = Array((isCaseless ? Identifier.folded(text) : text).utf8)
        var index = 0
        while index < bytes.count {
            let (byte, isBehindSlash) = (bytes[index], index == 0 || bytes[index - 1] == Self.slash)
            index += 1
            switch byte {
            case UInt8(ascii: "["): return nil
            case UInt8(ascii: "?"): tokens.append(.one)
            case UInt8(ascii: "\\"):
                guard index < bytes.count else { return nil }
                tokens.append(.byte(bytes[index]))
                index += 1
            case UInt8(ascii: "*"):
                let start = index
                while index < bytes.count, bytes[index] == UInt8(ascii: "*") { index += 1 }
                if index > start, isBehindSlash, index == bytes.count {
                    tokens.append(.everything)
                } else if index > start, isBehindSlash, bytes[index] == Self.slash {
                    tokens.append(.folders)
                    index += 1
                } else {
                    tokens.append(.some)
                }
            default: tokens.append(.byte(byte))
            }
        }
    }

    /// The pattern that stands for a text and nothing else.
    static func literal(_ text: String) -> String {
        String(
            decoding: text.utf8.flatMap { "*?[\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
    }

    /// Whether it stands for a text as a whole.
    func matches(_ text: String) -> Bool {
        var places = [Bool](repeating: false, count: tokens.count + 1)
        enter(0, &places)
        for byte in (isCaseless ? Identifier.folded(text) : text).utf8 {
            var next = [Bool](repeating: false, count: places.count)
            for (place, token) in tokens.enumerated() where places[place] {
                switch token {
                case .byte(let own): if byte == own { enter(place + 1, &next) }
                case .one: if byte != Self.slash { enter(place + 1, &next) }
                case .some: if byte != Self.slash { enter(place, &next) }
                case .everything: enter(place, &next)
                case .folders:
                    // What follows begins behind a slash alone.
                    next[place] = true
                    if byte == Self.slash { enter(place + 1, &next) }
                }
            }
            places = next
        }
        return places[tokens.count]
    }

    /// Comes to a place in the pattern, and to those behind it that what may be nothing leads to.
    private func enter(_ place: Int, _ places: inout [Bool]) {
        var place = place
        while true {
            places[place] = true
            guard place < tokens.count else { return }
            switch tokens[place] {
            case .byte, .one: return
            case .some, .everything, .folders: place += 1
            }
        }
    }
}
