internal import Keyfob
internal import KeyfobModel

/// What is done in the place of an undo.
enum LastingText {
    /// What takes the place of undoing a change, where something does; and how the change before it is undone.
    static func ways(_ change: LastingChange, olderCommand: String?, olderID: String?) -> String {
        var ways = instead(of: change).map { [$0] } ?? []
        if let olderCommand, let olderID {
            ways.append("to undo '\(olderCommand)' before it: 'keyfob undo \(olderID)'")
        }
        return ways.isEmpty ? "nothing before it can be undone either" : ways.joined(separator: "; ")
    }

    /// What takes the place of undoing a change; nil where nothing does.
    static func instead(of change: LastingChange) -> String? {
        let word = change.subject.isEmpty ? nil : ShellWord.inMessage(change.subject)
        return switch change.kind {
        case .vaultMade: "'keyfob uninstall' says what there is to remove"
        case .slotAdded, .groupGranted:
            word.map { "to remove the slot: 'keyfob slot remove \($0)'" } ?? "'keyfob slot list' lists the slots"
        case .slotRemoved: "'keyfob slot add' adds another one"
        case .passphraseChanged: "'keyfob passwd' sets another one"
        case .rekeyed, .groupRotated, .repaired, .stateAccepted, .findingsAccepted, .historyCleared, .logBegunAnew,
            .undoCleared, .other:
            nil
        case .groupRemoved:
            "'keyfob backup --list' names backups, and 'keyfob restore BACKUP --group \(word ?? "GROUP")' brings it back"
        case .groupRevoked: "'keyfob group grant \(word ?? "GROUP")' makes another slot for it"
        case .migrated:
            "'keyfob migrate --to \(change.subject == "embedded" ? "secret-service" : "embedded")' moves them back"
        case .exported: "remove the file if you do not want it"
        case .syncBegun, .syncJoined: "to leave the sync: 'keyfob sync leave'"
        case .syncLeft: "'keyfob sync join REMOTE' asks to be let in again"
        case .machineApproved: word.map { "to keep it out: 'keyfob sync revoke \($0)'" }
        case .machineRevoked: "to let it in again: 'keyfob sync join REMOTE' there"
        case .signedOut, .accountRemoved: "'keyfob login' signs in again, and 'keyfob add' stores another token"
        case .usesRemoved: "'keyfob log --on' has them noted from now on"
        case .usesNoted: "to keep none: 'keyfob log --off'"
        case .keyKept: "to forget the key: 'keyfob lock'"
        case .toolSetUp: "to take it out: 'keyfob setup \(words(change.subject)) --undo'"
        case .toolTakenOut: "to put it back: 'keyfob setup \(words(change.subject))'"
        case .mirrored: word.map { "to take them out: 'keyfob mirror stop \($0) --remove'" }
        case .mirrorStopped: "'keyfob mirror' begins one anew"
        case .uninstalled: "'keyfob setup TOOL' sets a tool up again"
        }
    }

    private static func words(_ text: String) -> String {
        text.split(separator: " ").map { ShellWord.inMessage(String($0)) }.joined(separator: " ")
    }

    /// What was done and what is done in the place of an undo, as a list tells it.
    static func row(_ change: LastingChange) -> String {
        "nothing: it \(change.text)" + (instead(of: change).map { "; \($0)" } ?? "")
    }
}
