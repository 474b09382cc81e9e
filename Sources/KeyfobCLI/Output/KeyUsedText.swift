internal import Keyfob

/// With what a vault was unlocked without asking anybody.
struct KeyUsedText {
    /// For programs: `passphrase`, `identity`, `keyFile`, `kernelKeyring` or `desktopKeyring`.
    let name: String
    /// For people, behind "unlocked".
    let words: String
    /// Whether it is the key file that the environment names.
    let isUsual: Bool

    /// - Parameters:
    ///   - global: The options with which it was unlocked.
    ///   - kept: Where 'keyfob unlock' has kept the key.
    ///   - storage: Where the records are: the environment's key file is for a file of Keyfob's own.
    ///   - isTyped: Whether a passphrase has opened it, given or typed.
    init(
        _ global: GlobalOptions, _ kept: [KeyKept], _ storage: StoragePlace, isTyped: Bool = false,
        _ environment: Environment = .current
    ) {
        let usual = storage == .embedded ? environment["KEYFOB_KEY_FILE"] : nil
        isUsual = usual != nil && global.passphraseFd == nil && global.identity == nil && global.keyFile == nil
        if global.passphraseFd != nil || isTyped {
            (name, words) = ("passphrase", "by the passphrase")
        } else if let identity = global.identity {
            (name, words) = ("identity", "by the identity in \(identity)")
        } else if let file = global.keyFile {
            (name, words) = ("keyFile", "by the key file \(file)")
        } else if let usual {
            (name, words) = ("keyFile", "by the key file \(usual) (KEYFOB_KEY_FILE)")
        } else if let key = kept.first {
            let whose = key.place == .session ? "this session's" : "your"
            (name, words) = (
                "kernelKeyring", "by the key in \(whose) kernel keyring, until \(TimeText.moment(key.until))"
            )
        } else {
            (name, words) = ("desktopKeyring", "by the desktop's keyring (Secret Service)")
        }
    }
}
