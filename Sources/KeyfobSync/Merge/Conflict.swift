package import KeyfobModel

/// What a person should know after a merge.
///
/// It decides nothing: of two values of a field ``Register`` takes the later, and that is no conflict.
package enum Conflict: Hashable, Sendable {
    /// Several accounts of one group have the same label.
    case sameLabel(AccessGroup, label: String, accounts: [ItemKey])
    /// The two sides hold different refresh tokens of one epoch and generation: the same token was redeemed on two
    /// machines, and a provider that rotates them may end the grant.
    case forkedGrant(ItemPlace)
    /// One account is in several groups.
    case accountInSeveralGroups(ItemKey, [AccessGroup])
    /// A setting names an account that is deleted.
    case settingOfDeletedAccount(ItemPlace, account: ItemKey)
    /// An item that one side deleted came back, because the other changed it later; what is older stays deleted.
    case deletedAndChanged(ItemPlace)
    /// A grant is active, and its account is deleted.
    case signedInButDeleted(ItemPlace, account: ItemKey)
    /// The two sides hold different contents of one version: two machines take themselves for one device.
    case sameVersion(ItemPlace, device: UInt64)
    /// Something was written more than 24 hours ahead of now; it wins over everything until then.
    case farAhead(ItemPlace, ItemVersion)

    /// The name in documents.
    package var name: String {
        switch self {
        case .sameLabel: "sameLabel"
        case .forkedGrant: "forkedGrant"
        case .accountInSeveralGroups: "accountInSeveralGroups"
        case .settingOfDeletedAccount: "settingOfDeletedAccount"
        case .deletedAndChanged: "deletedAndChanged"
        case .signedInButDeleted: "signedInButDeleted"
        case .sameVersion: "sameVersion"
        case .farAhead: "farAhead"
        }
    }

    /// The places it is about, in their order.
    package var places: [ItemPlace] {
        switch self {
        case .sameLabel(let group, _, let accounts): accounts.map { ItemPlace(group, $0) }
        case .accountInSeveralGroups(let account, let groups): groups.map { ItemPlace($0, account) }
        case .forkedGrant(let place), .deletedAndChanged(let place), .sameVersion(let place, _),
            .farAhead(let place, _), .settingOfDeletedAccount(let place, _), .signedInButDeleted(let place, _):
            [place]
        }
    }
}

extension Conflict: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        switch self {
        case .sameLabel(let group, let label, let accounts):
            "group \(group): \(accounts.count) accounts have the label '\(label)'"
        case .forkedGrant(let place):
            "group \(place.group): the \(place.key) was refreshed on two machines; the provider may ask for a sign-in"
        case .accountInSeveralGroups(let account, let groups):
            "\(account) is in the groups \(groups.map(\.name).joined(separator: ", "))"
        case .settingOfDeletedAccount(let place, let account):
            "group \(place.group): \(place.key) names \(account), which is deleted"
        case .deletedAndChanged(let place):
            "group \(place.group): \(place.key) was deleted on one side and changed later on the other; it stays"
        case .signedInButDeleted(let place, let account):
            "group \(place.group): \(account) is deleted, and its sign-in is still active"
        case .sameVersion(let place, let device):
            "group \(place.group): \(place.key) differs between two machines that are both device \(device.hexadecimal)"
        case .farAhead(let place, _):
            "group \(place.group): \(place.key) was written by a clock more than a day ahead"
        }
    }
}
