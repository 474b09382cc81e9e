/// The rows of the screen: how many each part has.
///
/// The fewer there are, the less stands around the list; the list always has one.
struct PickerRows: Hashable, Sendable {
    /// What is chosen for.
    let hasPurpose: Bool
    /// What is typed; without it there is room for the marked account only.
    let hasPrompt: Bool
    /// The words above the columns.
    let hasHeading: Bool
    /// How many accounts there is room for.
    let list: Int
    /// An empty row above what is told of the marked account.
    let hasGap: Bool
    /// How much is told of the marked account.
    let about: Int
    /// What can be typed.
    let hasHelp: Bool

    /// Divides the rows; `needsAbout` tells whether the list leaves something out, and `isNarrow` that
    /// telling it takes more lines.
    init(_ rows: Int, needsAbout: Bool, isNarrow: Bool = false) {
        let about =
            switch rows {
            case _ where !needsAbout: 0
            case ..<4: 0
            case 4: 1
            case 5...7: 2
            case 16... where isNarrow: 5
            default: 3
            }
        hasPrompt = rows >= 2
        hasPurpose = rows >= 7
        hasHelp = rows >= 9
        hasHeading = rows >= 12
        hasGap = rows >= 14 && about > 0
        self.about = about
        let others = [hasPrompt, hasPurpose, hasHelp, hasHeading, hasGap].count { $0 }
        list = max(1, rows - others - about)
    }
}
