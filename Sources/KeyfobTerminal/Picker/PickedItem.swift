/// What a person has chosen.
package struct PickedItem: Hashable, Sendable {
    /// Which one it is.
    package let index: Int
    /// Whether it is to be chosen from now on for what the picker offered to remember it for.
    package var isForGood = false
}
