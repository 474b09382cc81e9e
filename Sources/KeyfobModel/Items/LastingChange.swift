/// A change that no undo takes back: what it did, and to what.
public struct LastingChange: Hashable, Sendable {
    /// What was done.
    public let kind: Kind
    /// What it was done to, such as a slot, a group, a machine, a file or a tool; empty where the kind says all.
    public let subject: String

    /// A change; of a long subject the beginning is kept.
    public init(_ kind: Kind, _ subject: String = "") {
        self.kind = kind
        self.subject = String(subject.prefix(Self.limit))
    }

    /// How many characters a subject has at most.
    private static let limit = 256

    /// What was done.
    ///
    /// The raw value is stable: documents carry it.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A vault was made.
        case vaultMade
        /// A way to unlock was added.
        case slotAdded
        /// A way to unlock was removed.
        case slotRemoved
        /// A passphrase was set or changed.
        case passphraseChanged
        /// The vault got new keys.
        case rekeyed
        /// A group was removed.
        case groupRemoved
        /// A slot of one group was made.
        case groupGranted
        /// A slot of one group was removed.
        case groupRevoked
        /// A group got a new key.
        case groupRotated
        /// The records were moved into the desktop's keyring, or out of it.
        case migrated
        /// Damage was repaired.
        case repaired
        /// What was found of the vault's state was accepted.
        case stateAccepted
        /// Accounts were written into a file.
        case exported
        /// A sync was begun.
        case syncBegun
        /// A sync was joined.
        case syncJoined
        /// A sync was left.
        case syncLeft
        /// A machine was let into the sync.
        case machineApproved
        /// A machine was kept out of the sync.
        case machineRevoked
        /// What was found of a machine was accepted.
        case findingsAccepted
        /// An account was signed out, and nothing is kept of it.
        case signedOut
        /// An account was removed, and nothing is kept of it.
        case accountRemoved
        /// What undoing needs was forgotten.
        case undoCleared
        /// The choices of accounts were forgotten.
        case historyCleared
        /// The uses of tokens were removed.
        case usesRemoved
        /// The uses of tokens are noted again.
        case usesNoted
        /// The log of the agent was begun anew.
        case logBegunAnew
        /// The key was kept for all that the user runs.
        case keyKept
        /// A tool's configuration was changed so that it asks Keyfob.
        case toolSetUp
        /// That was taken out again.
        case toolTakenOut
        /// Another program's cache was brought into step.
        case mirrored
        /// A mirror was ended.
        case mirrorStopped
        /// What Keyfob has in other places was removed.
        case uninstalled
        /// Something that this version does not know, or that nothing shows to be the owner's.
        case other

        /// Whether it is noted in the vault, where that can be written.
        package var isInVault: Bool {
            switch self {
            case .vaultMade, .exported, .keyKept, .toolSetUp, .toolTakenOut, .mirrored, .mirrorStopped,
                .uninstalled, .migrated, .repaired, .stateAccepted, .historyCleared, .usesRemoved, .usesNoted,
                .logBegunAnew, .other:
                false
            default: true
            }
        }
    }

    /// What was done, as it stands behind who did it: `added slot '3fa9c1d2'`.
    public var text: String {
        let it = subject.isEmpty ? "" : " '\(subject)'"
        return switch kind {
        case .vaultMade: "made the vault"
        case .slotAdded: "added slot\(it)"
        case .slotRemoved: "removed slot\(it)"
        case .passphraseChanged: "set the passphrase of slot\(it)"
        case .rekeyed: "gave the vault new keys"
        case .groupRemoved: "removed group\(it)"
        case .groupGranted: "made slot\(it) for one group"
        case .groupRevoked: "took a slot from group\(it)"
        case .groupRotated: "gave group\(it) a new key"
        case .migrated: "moved the vault's records to\(it)"
        case .repaired: "repaired the vault"
        case .stateAccepted: "accepted the vault as it is"
        case .exported: "wrote\(it)"
        case .syncBegun: "began a sync"
        case .syncJoined: "joined a sync"
        case .syncLeft: "left the sync"
        case .machineApproved: "let machine\(it) into the sync"
        case .machineRevoked: "kept machine\(it) out of the sync"
        case .findingsAccepted: "accepted what machine\(it) shows"
        case .signedOut: "signed out\(it)"
        case .accountRemoved: "removed\(subject.isEmpty ? " an account" : it) for good"
        case .undoCleared: "forgot what undoing needs"
        case .historyCleared: "forgot which accounts were chosen"
        case .usesRemoved: "removed what was kept of token uses"
        case .usesNoted: "had token uses noted again"
        case .logBegunAnew: "began the agent's log anew"
        case .keyKept: "kept the key for all that you run"
        case .toolSetUp: "changed the configuration of\(it)"
        case .toolTakenOut: "took Keyfob out of the configuration of\(it)"
        case .mirrored: "wrote tokens into\(it)"
        case .mirrorStopped: "ended the mirror of\(it)"
        case .uninstalled: "took Keyfob out of other programs' files"
        case .other: "made a change that this Keyfob does not know"
        }
    }
}
