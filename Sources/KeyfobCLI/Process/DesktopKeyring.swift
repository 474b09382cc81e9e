internal import Keyfob
internal import KeyfobTerminal

extension GlobalOptions {
    /// How to reach the Secret Service, the keyring of the desktop.
    ///
    /// It may ask a person only where `mayAsk` and the options let it, and where somebody can be there: at a terminal, or
    /// before a screen.
    func secretService(mayAsk: Bool = true, _ environment: Environment = .current) -> SecretServiceOptions {
        let hasScreen = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
        let mayPrompt = mayAsk && !noInput && (hasScreen || Terminal.isThere)
        return SecretServiceOptions(environment: environment.variables, mayPrompt: mayPrompt) {
            StandardError.write(line: "keyfob: the desktop's keyring asks you something; waiting for the answer")
        }
    }

    /// Whether the desktop's keyring is to unlock a new vault: what a person says who is at a terminal of a session that
    /// has one.
    func wantsSecretService(_ service: SecretServiceOptions) throws(KeyringError) -> Bool {
        guard !noInput, let terminal = Terminal(), service.isReachable else { return false }
        let answer = try terminal.ask("Unlock with your desktop's keyring (Secret Service)? [Y/n] ")
        return ["", "y", "yes"].contains(answer.lowercased())
    }
}

/// What people are told about the desktop's keyring.
enum SecretServiceText {
    /// What it has for a slot, behind the name of the keyring.
    static func of(_ item: SecretServiceItem) -> String {
        switch item.state {
        case .opens where item.items > 1: "opens the vault with one of \(item.items) items (slot \(item.slot))"
        case .opens: "opens the vault (slot \(item.slot))"
        case .foreign: "holds an item that does not open the vault (slot \(item.slot))"
        case .missing: "does not hold the key of slot \(item.slot)"
        case .locked: "is locked (slot \(item.slot))"
        case .unavailable: "cannot be asked (slot \(item.slot)): \(item.problem?.message ?? "it does not answer")"
        }
    }

    /// The doctor's finding about a slot, one of `all`.
    static func finding(_ item: SecretServiceItem, among all: [SecretServiceItem]) -> Finding {
        let isFine = item.state == .opens && item.items == 1
        // A vault that is used on two machines has a slot for the keyring of each.
        let isElsewhere = item.state == .missing && all.contains { $0.state == .opens }
        return Finding(
            "secret service", isFine || isElsewhere ? .ok : .warning, "the desktop's keyring " + of(item),
            hint: isFine || isElsewhere ? nil : hint(item))
    }

    private static func hint(_ item: SecretServiceItem) -> String? {
        func again(_ key: String = "") -> String {
            "'keyfob slot add secret-service\(key)' and 'keyfob slot remove \(item.slot)' make a new one"
        }
        // What does not open the vault does not let it be changed either.
        let againByKey = again(" --identity FILE") + " (FILE: your recovery key)"
        return switch item.state {
        case .opens: "\(again()), without the others"
        case .foreign: "unlock with another slot; \(againByKey)"
        case .missing: "bring the keyring's own backup back, or unlock with another slot; \(againByKey)"
        case .locked: Advice.ServiceTrouble.openingIt
        case .unavailable: item.problem?.hint
        }
    }
}

/// What the desktop's keyring has for a slot, in a document.
struct SecretServiceDocument: Encodable {
    let slot: String
    let state: String
    let items: Int
    let problem: String?

    init(_ item: SecretServiceItem) {
        slot = item.slot
        state = item.state.rawValue
        items = item.items
        problem = item.problem?.message
    }
}
