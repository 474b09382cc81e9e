internal import KeyfobModel

/// What the history says near the request, and everywhere.
struct ContextWindows {
    /// How narrow the context is that the near window is of.
    enum Level: Int, Sendable, CaseIterable {
        case place, owner, host, tool, everywhere
    }

    /// The events of the narrowest context that has any.
    let near: ContextWindow
    /// The context of the near window.
    let level: Level
    /// The events of all contexts.
    let everywhere: ContextWindow
    /// The accounts that occur, by slot.
    let accounts: [UsageTag]

    /// Looks through `history`, newest first, for decisions about the accounts `isCandidate`.
    init(_ history: UsageHistory, isCandidate: @escaping (UsageTag) -> Bool) {
        var slots = SlotTable(isCandidate)
        let level = Self.level(history, &slots)
        var (near, everywhere) = (ContextWindow(), ContextWindow())
        for event in history.events.reversed() {
            let isNear = !near.isFull && event.context.matches(history.context, at: level)
            guard isNear || !everywhere.isFull else { continue }
            guard let slot = slots.slot(of: event.account) else { continue }
            let time = Double(event.time.seconds)
            if isNear { near.prepend(time: time, slot: slot) }
            if !everywhere.isFull { everywhere.prepend(time: time, slot: slot) }
            if near.isFull, everywhere.isFull { break }
        }
        near.finish()
        everywhere.finish()
        self.near = near
        self.level = level
        self.everywhere = everywhere
        accounts = slots.accounts
    }

    /// The narrowest context in which there was a decision.
    private static func level(_ history: UsageHistory, _ slots: inout SlotTable) -> Level {
        let levels = Level.allCases
        var narrowest = Level.everywhere
        for event in history.events.reversed() {
            for level in levels.prefix(narrowest.rawValue)
            where event.context.matches(history.context, at: level) && slots.slot(of: event.account) != nil {
                narrowest = level
                break
            }
            if narrowest == .place { break }
        }
        return narrowest
    }

    /// Numbers the accounts that occur.
    private struct SlotTable {
        private(set) var accounts: [UsageTag] = []
        private var known: [UsageTag: Int?] = [:]
        private let isCandidate: (UsageTag) -> Bool

        init(_ isCandidate: @escaping (UsageTag) -> Bool) {
            self.isCandidate = isCandidate
        }

        /// The slot of an account; nil for one that is not to be chosen from.
        mutating func slot(of account: UsageTag) -> Int? {
            if let slot = known[account] { return slot }
            let slot: Int? = isCandidate(account) ? accounts.count : nil
            if slot != nil { accounts.append(account) }
            known[account] = .some(slot)
            return slot
        }
    }
}

extension UsageContext {
    /// Whether both are in one context of that level; what is not known equals nothing.
    fileprivate func matches(_ other: UsageContext, at level: ContextWindows.Level) -> Bool {
        switch level {
        case .place: place != nil && place == other.place
        case .owner: owner != nil && owner == other.owner
        case .host: host != nil && host == other.host
        case .tool: tool != nil && tool == other.tool
        case .everywhere: true
        }
    }
}
