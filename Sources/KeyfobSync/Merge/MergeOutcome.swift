package import KeyfobModel

/// What applying a merge does, or would do, to one item.
package enum MergeOutcome: Hashable, Sendable {
    /// It is new here.
    case added
    /// It stays, and these fields of it change; a field that goes is among them.
    case changed([FieldName])
    /// It stays as it is.
    case kept(KeptReason)
    /// It goes; of a grant, the token goes and the grant is signed out.
    case removed
    /// It is not taken, whatever it is.
    case refused(RefusalReason)

    /// Why an item stays as it is.
    package enum KeptReason: String, Hashable, Sendable, CaseIterable {
        /// Both have the same.
        case same
        /// What is here was written later, or has come further.
        case newerHere
        /// The grant was signed out here.
        case signedOutHere
        /// It was deleted here.
        case deletedHere
        /// It was deleted there, and is not here either.
        case deletedThere
    }

    /// Why an item is not taken.
    package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
        /// The caller does not hold the key of its group.
        case groupNotGranted
        /// It is for the vault it comes from alone.
        case thisDeviceOnly
        /// The provider rotates the token, so that two machines cannot share it.
        case deviceBound
        /// Access tokens were not asked for.
        case accessToken
        /// The account is not among those asked for.
        case notSelected
        /// It decides whose token goes where, and such were not asked for.
        case decision
    }

    /// The name in documents.
    package var name: String {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .kept: "kept"
        case .removed: "removed"
        case .refused: "refused"
        }
    }

    /// The reason's name in documents; nil where there is none.
    package var reason: String? {
        switch self {
        case .kept(let reason): reason.rawValue
        case .refused(let reason): reason.rawValue
        case .added, .changed, .removed: nil
        }
    }
}

extension MergeOutcome.KeptReason: CustomStringConvertible {
    /// A few words for people.
    package var description: String {
        switch self {
        case .same: "both have the same"
        case .newerHere: "what is here is newer"
        case .signedOutHere: "it was signed out here"
        case .deletedHere: "it was deleted here"
        case .deletedThere: "it was deleted there, and is not here"
        }
    }
}

extension MergeOutcome.RefusalReason: CustomStringConvertible {
    /// A few words for people.
    package var description: String {
        switch self {
        case .groupNotGranted: "its group is not open"
        case .thisDeviceOnly: "it is for the vault it comes from alone"
        case .deviceBound: "the provider rotates the token, so two machines cannot share it"
        case .accessToken: "access tokens were not asked for"
        case .notSelected: "it was not asked for"
        case .decision: "it decides whose token goes where, which was not asked for"
        }
    }
}

extension MergeOutcome: CustomStringConvertible {
    /// A few words for people.
    package var description: String {
        switch self {
        case .added: "added"
        case .changed(let fields): "changed: " + fields.map(\.words).joined(separator: ", ")
        case .kept(let reason): "kept: \(reason)"
        case .removed: "removed"
        case .refused(let reason): "refused: \(reason)"
        }
    }
}

extension FieldName {
    /// What people call the field; a name that a terminal should not see is left out.
    fileprivate var words: String {
        switch self {
        case .username: return "user name"
        case .displayName: return "display name"
        case .label: return "label"
        case .formerNames: return "former names"
        case .proved: return "proof by a sign-in"
        case .content: return "content"
        case .token: return "token"
        case .state: return "state"
        default: break
        }
        let shown = additional?.name ?? name.replacing("profile:", with: "", maxReplacements: 1)
        let kind = additional == nil ? "profile" : "field"
        return Identifier.isAcceptable(shown) ? "\(kind) \(shown)" : "a \(kind)"
    }
}
