package import KeyfobModel
package import KeyfobSelection

/// Why a lookup gives no account or no token, what the storage says aside.
package enum LookupRefusal: Error {
    /// There is no group of this name.
    case noSuchGroup(AccessGroup)
    /// The key does not open the group of this name.
    case notGranted(AccessGroup)
    /// Records are damaged, so that no account can be chosen for certain.
    case uncertain
    /// The selection has not chosen.
    case unselected(Selection, TokenRequest)
    /// Several tokens of the account that only the caller can tell apart.
    case ambiguous(TokenChoice.Ambiguity, Account)
    /// The default among several clients, or the hosts of a provider's services, decide, and the providers, which say
    /// so, are not at hand.
    case needsProviders
    /// What was used before decides, and is not at hand.
    case needsHistory
    /// A mistake of Keyfob's own.
    case fault(String)
}
