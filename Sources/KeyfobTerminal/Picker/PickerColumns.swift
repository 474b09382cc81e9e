/// The columns of the list: which there are, and how wide each is.
///
/// All columns that can have their least width are shown, the most important first; what is left goes to the
/// texts that are cut.
struct PickerColumns: Hashable, Sendable {
    /// What stands in a column.
    enum Kind: Int, CaseIterable, Hashable, Sendable {
        case title
        case details
        case tenant
        case group
        case state
        case reason

        /// The word above the column.
        var heading: String {
            switch self {
            case .title: "ACCOUNT"
            case .details: "USER NAME"
            case .tenant: "TENANT"
            case .group: "GROUP"
            case .state: "STATE"
            case .reason: "WHY"
            }
        }

        /// The fewest cells that are worth a column, where the texts need more.
        fileprivate var least: Int {
            switch self {
            case .title: .max
            case .details: 16
            case .tenant, .state: 10
            case .group: 7
            case .reason: 32
            }
        }

        /// Every kind, the most important first.
        fileprivate static let byImportance: [Kind] = [.title, .details, .state, .tenant, .group, .reason]
    }

    /// A column on the screen.
    struct Column: Hashable, Sendable {
        let kind: Kind
        /// Where it begins, from 0.
        let start: Int
        /// Its cells.
        let width: Int
    }

    /// The cells between two columns.
    static let gap = 2

    /// From left to right.
    let columns: [Column]
    /// The cells of a title that goes on where the user name would be.
    let wideTitle: Int

    /// Divides the cells from `start` to `end`.
    ///
    /// - Parameters:
    ///   - natural: What the longest text of each kind takes, 0 for no text.
    ///   - unlabelled: What the longest title takes that goes on where the user name would be.
    init(natural: [Kind: Int], unlabelled: Int = 0, from start: Int, to end: Int) {
        var widths: [Kind: Int] = [:]
        var spare = max(0, end - start)
        for kind in Kind.byImportance {
            let wanted = natural[kind] ?? 0
            // A name is cut only where the terminal has no room for it alone.
            let rest = kind == .details ? unlabelled - (widths[.title].map { $0 + Self.gap } ?? 0) : 0
            let needed = min(wanted, max(kind.least, rest)) + (widths.isEmpty ? 0 : Self.gap)
            if widths.isEmpty, wanted > 0 {
                widths[kind] = min(needed, spare)
                spare -= min(needed, spare)
            } else if wanted > 0 {
                // What is less important does not come where something more important has no room.
                guard needed <= spare else { break }
                widths[kind] = needed - Self.gap
                spare -= needed
            }
        }
        while spare > 0 {
            let before = spare
            for kind in Kind.byImportance where spare > 0 {
                guard let width = widths[kind], width < natural[kind] ?? 0 else { continue }
                widths[kind] = width + 1
                spare -= 1
            }
            if spare == before { break }
        }
        var column = start
        let columns: [Column] = Kind.allCases.compactMap { kind in
            guard let width = widths[kind] else { return nil }
            defer { column += width + Self.gap }
            return Column(kind: kind, start: column, width: width)
        }
        self.columns = columns
        let next = columns.first { $0.kind != .title && $0.kind != .details }
        wideTitle = (next.map { $0.start - Self.gap } ?? max(start, end)) - start
    }

    /// The cells of a kind; 0 when it has no column.
    func width(of kind: Kind) -> Int {
        columns.first { $0.kind == kind }?.width ?? 0
    }
}
