package import KeyfobModel
internal import KeyfobSodium

// Whoever holds a group's key can write any of its records. What the owner of the vault decided carries a MAC under a
// key that the vault key alone gives.

extension GroupKeys {
    /// Who writes with these keys, as far as whoever holds them can tell.
    package var ownWriter: DecisionWriter { owner == nil ? .unknown : .owner }

    /// The owner's MAC of a setting; nil for who does not hold the vault key.
    func ownersMark(name: String, value: String) -> [UInt8]? {
        owner?.authenticate(decision: SealingContext.decision(vault, group, name: name, value: value))
    }

    /// Who wrote a setting that has this MAC, or none.
    func writer(of name: String, _ value: String, mark: ArraySlice<UInt8>?) -> DecisionWriter {
        guard let owner else { return .unknown }
        guard let mark else { return .group }
        let expected = owner.authenticate(decision: SealingContext.decision(vault, group, name: name, value: value))
        return ConstantTime.areEqual(expected, Array(mark)) ? .owner : .group
    }
}
