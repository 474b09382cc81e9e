/// What a bundle was written for; one of another purpose is refused.
package enum BundlePurpose: String, Hashable, Sendable, CaseIterable {
    /// For another keyring.
    case export
    /// For the vault it comes from.
    case backup
    /// For another device of the same person.
    case sync
}
