package import KeyfobModel

/// What merging another state into the one at hand does, item by item, before it is done.
///
/// The lines stand in the order of their places, one for each item of the other state, and one for each other item that
/// goes: all in a replacement, and what belongs to an account that was removed or to a client that was signed out.
package struct MergePlan: Hashable, Sendable {
    /// What happens to one item.
    package struct Line: Hashable, Sendable {
        /// Where it is.
        package let place: ItemPlace
        /// What happens.
        package let outcome: MergeOutcome
        /// Whether the secret of the other state is to be stored.
        package let takesSecret: Bool

        /// One line for people.
        package var description: String { "group \(place.group): \(place.key): \(outcome)" }
    }

    /// The lines.
    package let lines: [Line]
    /// What is left when it is done.
    package let result: KeyringState
    /// What a person should know.
    package let conflicts: [Conflict]

    /// The plan to merge `incoming` into `state`.
    ///
    /// - Parameters:
    ///   - incoming: What is read from a bundle, or comes from another device.
    ///   - state: What is here.
    ///   - refusals: The items that are not to be taken, and why.
    ///   - taken: The groups in which a removal or a sign-out takes all that belongs to it; nil for those that something
    ///     comes into. Both states may be parts of larger ones, as long as all items of an account are in one.
    ///   - now: Milliseconds since 1970.
    package init(
        merging incoming: KeyringState, into state: KeyringState,
        refusing refusals: [ItemPlace: MergeOutcome.RefusalReason] = [:], in taken: Set<AccessGroup>? = nil, now: Int64
    ) {
        let accepted = incoming.without(refusals)
        let merged = state.merged(with: accepted)
        var result = merged
        let orphans = result.removeOrphans(in: taken ?? accepted.occupiedGroups, since: state)
        // Of what is here alone, what goes is told.
        let places = incoming.unorderedPlaces.union(orphans.filter(state.holds))
        self.lines = places.sorted().map { place in
            if let reason = refusals[place] {
                return Line(place: place, outcome: .refused(reason), takesSecret: false)
            }
            let sides = Sides(place, before: state, incoming: incoming, after: result)
            return Line(place: place, outcome: sides.outcome, takesSecret: sides.takesSecret)
        }
        self.result = result
        // Who is signed out with the account is not signed in without it.
        self.conflicts = Conflict.found(in: state, accepted, merged: merged, now: now).filter { conflict in
            if case .signedInButDeleted(let place, _) = conflict { !orphans.contains(place) } else { true }
        }
    }

    /// The plan to put `incoming` in the place of what `state` has in `groups`; other groups stay.
    ///
    /// What a refused item has here stays too, and so does a sign-in that is newer here, with its tokens. The result has the versions of `incoming`, older ones among them:
    /// in a vault that is synced they must be raised, or the other devices undo the replacement.
    ///
    /// - Parameter groups: The groups that the bundle is of, which may hold nothing in it.
    package init(
        replacing state: KeyringState, in groups: Set<AccessGroup>, with incoming: KeyringState,
        refusing refusals: [ItemPlace: MergeOutcome.RefusalReason] = [:], now: Int64
    ) {
        var result = state
        let accepted = incoming.without(refusals)
        for group in groups {
            var replaced = accepted.groups[group] ?? GroupItems()
            for place in refusals.keys where place.group == group {
                replaced.items[place.key] = state.groups[group]?.items[place.key]
                replaced.grants[place.key] = state.groups[group]?.grants[place.key]
                replaced.accountIDs[place.key] = state.groups[group]?.accountIDs[place.key]
            }
            if let here = state.groups[group] { replaced.keepLiveGrants(of: here) }
            result.groups[group] = replaced
        }
        let brought = incoming.unorderedPlaces
        let places = brought.union(state.unorderedPlaces.filter { state.holds($0) }).filter {
            groups.contains($0.group)
        }
        self.lines = places.sorted().compactMap { place in
            if let reason = refusals[place] {
                // What was not brought was not refused: it stays.
                guard brought.contains(place) else { return nil }
                return Line(place: place, outcome: .refused(reason), takesSecret: false)
            }
            let sides = Sides(place, before: state, incoming: incoming, after: result)
            return Line(place: place, outcome: sides.outcome, takesSecret: sides.takesSecret)
        }
        self.result = result
        self.conflicts = Conflict.found(in: result, result, now: now)
    }

    /// How many lines have each outcome, by the outcome's name.
    package var counts: [String: Int] {
        lines.reduce(into: [:]) { $0[$1.outcome.name, default: 0] += 1 }
    }

    /// Whether nothing would change.
    package var isEmpty: Bool {
        lines.allSatisfy { ["kept", "refused"].contains($0.outcome.name) }
    }
}

extension KeyringState {
    /// Whether the item is there and not deleted.
    package func holds(_ place: ItemPlace) -> Bool {
        groups[place.group]?.contains(place.key) ?? false
    }

    /// The groups that something is in.
    fileprivate var occupiedGroups: Set<AccessGroup> {
        Set(groups.filter { !$0.value.items.isEmpty || !$0.value.grants.isEmpty }.keys)
    }

    fileprivate func without(_ places: [ItemPlace: MergeOutcome.RefusalReason]) -> KeyringState {
        var state = self
        for place in places.keys {
            state.groups[place.group]?.items[place.key] = nil
            state.groups[place.group]?.grants[place.key] = nil
            state.groups[place.group]?.accountIDs[place.key] = nil
        }
        return state
    }
}
