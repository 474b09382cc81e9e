internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobSecretService

extension KeyringError {
    /// What kept records from being moved.
    init(migratingFrom place: StoragePlace, _ error: any Error) {
        switch error {
        case let error as NewerItems:
            self.init(
                .alreadyExists,
                "the Secret Service holds \(error.count) items of this vault that were written later than what would "
                    + "take their place; nothing was moved",
                hint: "see with 'keyfob doctor' whether this vault is an old copy; --force overwrites them")
        case DesktopError.service(let error, _) where place == .embedded:
            self.init(migratingTo: error)
        case StoreError.damaged, StoreError.incomplete:
            let plain = KeyringError(error)
            self.init(plain.code, plain.message + "; nothing was moved", hint: "run 'keyfob doctor --repair' first")
        case StoreError.rolledBack:
            let plain = KeyringError(error)
            self.init(
                plain.code, plain.message + "; nothing was moved",
                hint: "if you restored it yourself, run 'keyfob doctor --accept-rollback' first")
        default: self.init(error)
        }
    }

    /// The Secret Service does not take the records of a vault that has others.
    private init(migratingTo error: SecretServiceError) {
        let plain = KeyringError(error)
        let hint: String? =
            switch error {
            case .noLibrary: "install libsecret (libsecret-1-0 on Debian)"
            case .noBus: "run this in your desktop session"
            case .noService: "start the desktop's keyring"
            case .locked, .noItem: "unlock it in your session, for example by opening Seahorse"
            case .noCollection: "make a default collection, for example in Seahorse"
            case .tooLarge: "remove that record, or keep the vault where it is"
            case .damaged: "the desktop's keyring does not keep what it is given; keep the vault where it is"
            case .timedOut, .refused, .promptDismissed, .needsPrompt:
                "run this again when the desktop's keyring answers; it goes on from there"
            }
        self.init(plain.code, plain.message + "; the vault is as it was before", hint: hint)
    }
}
