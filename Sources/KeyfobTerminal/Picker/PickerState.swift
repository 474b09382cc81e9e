/// What the picker does after a key.
enum PickerAction: Hashable, Sendable {
    /// Nothing is to be seen of it.
    case none
    /// What is shown has changed.
    case redraw
    /// The item with this index is the answer.
    case choose(Int)
    /// The same, and for what the picker offers to remember it for.
    case remember(Int)
    /// There is no answer.
    case cancel
}

/// What is typed, what matches, and what is marked.
struct PickerState {
    /// The most bytes a query has.
    private static let queryLimit = 1_024

    /// What is typed.
    private(set) var query = ""
    /// The indices of the items that match, best first.
    private(set) var matches: [Int]
    /// The position in ``matches`` that is marked; 0 when nothing matches.
    private(set) var marked = 0
    /// The position in ``matches`` that is the first on the screen.
    private(set) var firstVisible = 0
    /// How many items there are.
    let total: Int
    /// How many items are on the screen.
    private(set) var page = 1

    private let filter: PickerFilter
    private let offersToRemember: Bool

    init(_ items: [PickerItem], offersToRemember: Bool = false) {
        self.offersToRemember = offersToRemember
        filter = PickerFilter(items)
        matches = Array(items.indices)
        total = items.count
    }

    /// The index of the item that is marked; nil when nothing matches.
    var choice: Int? { matches.indices.contains(marked) ? matches[marked] : nil }

    /// The positions in ``matches`` that are on the screen.
    var visible: Range<Int> { firstVisible..<min(matches.count, firstVisible + page) }

    /// Shows this many items at once, at least one.
    mutating func setPage(_ count: Int) {
        page = max(1, count)
        scroll()
    }

    /// Takes a key.
    mutating func handle(_ key: PickerKey) -> PickerAction {
        switch key {
        case .enter: choice.map { .choose($0) } ?? .none
        case .remember: offersToRemember ? choice.map { .remember($0) } ?? .none : .none
        case .cancel: .cancel
        case .endOfInput: query.isEmpty ? .cancel : .none
        case .redraw: .redraw
        case .up: mark(marked - 1)
        case .down: mark(marked + 1)
        case .pageUp: mark(marked - page)
        case .pageDown: mark(marked + page)
        case .home: mark(0)
        case .end: mark(matches.count - 1)
        case .character(let scalar): search(query + String(scalar))
        case .paste(let text): search(query + text)
        case .backspace: search(String(query.dropLast()))
        case .clear: search("")
        case .deleteWord: search(Self.withoutLastWord(query))
        }
    }

    private mutating func mark(_ position: Int) -> PickerAction {
        let kept = max(0, min(position, matches.count - 1))
        guard kept != marked else { return .none }
        marked = kept
        scroll()
        return .redraw
    }

    private mutating func search(_ text: String) -> PickerAction {
        guard text != query, text.utf8.count <= Self.queryLimit else { return .none }
        query = text
        matches = filter.matches(text)
        (marked, firstVisible) = (0, 0)
        return .redraw
    }

    /// Moves what is shown as little as possible, so that the marked one is seen and no room is wasted.
    private mutating func scroll() {
        firstVisible = min(firstVisible, max(0, matches.count - page))
        firstVisible = max(min(firstVisible, marked), marked - page + 1)
    }

    private static func withoutLastWord(_ text: String) -> String {
        var rest = text[...]
        while rest.last == " " { rest.removeLast() }
        while let last = rest.last, last != " " { rest.removeLast() }
        return String(rest)
    }
}
