/// Elements of which only one may stay where several say the same.
struct MSALRoster<Element> {
    /// One element, and what decides between it and its equals.
    struct Entry {
        var element: Element
        let section: MSALSection
        let ordinal: Int
        let hasSmallKey: Bool
        let time: Int64
    }

    private(set) var entries: [Entry] = []
    /// Those that did not stay.
    private(set) var superseded: [Entry] = []
    private var places: [String: Int] = [:]

    /// Adds an element.
    ///
    /// Of two with one identity stays the one whose key has no capitals (MSAL for Go upgraded its keys to small
    /// letters and left the old entities behind), then the later one by its own time, then the later one in the
    /// file.
    ///
    /// - Returns: the finding about the one that goes, if one does.
    mutating func add(_ entry: Entry, identity: String) -> MSALFinding? {
        guard let place = places[identity] else {
            places[identity] = entries.count
            entries.append(entry)
            return nil
        }
        let present = entries[place]
        let presentWins =
            present.hasSmallKey == entry.hasSmallKey ? present.time > entry.time : present.hasSmallKey
        if !presentWins { entries[place] = entry }
        let (winner, loser) = presentWins ? (present, entry) : (entry, present)
        superseded.append(loser)
        return MSALFinding(
            section: loser.section.rawValue, ordinal: loser.ordinal, reason: .superseded(by: winner.ordinal))
    }
}
