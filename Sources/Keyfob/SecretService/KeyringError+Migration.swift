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
                advice: .overwriteNewer)
        case DesktopError.service(let error, _) where place == .embedded:
            self.init(migratingTo: error)
        case StoreError.damaged, StoreError.incomplete:
            let plain = KeyringError(error)
            self.init(plain.code, plain.message + "; nothing was moved", advice: .repair)
        case StoreError.rolledBack:
            let plain = KeyringError(error)
            self.init(
                plain.code, plain.message + "; nothing was moved",
                advice: .acceptRollback(first: true))
        default: self.init(error)
        }
    }

    /// The Secret Service does not take the records of a vault that has others.
    private init(migratingTo error: SecretServiceError) {
        let plain = KeyringError(error)
        let trouble: Advice.ServiceTrouble =
            switch error {
            case .noLibrary: .noLibrary
            case .noBus: .noBus
            case .noService: .noService
            case .locked, .noItem: .locked
            case .noCollection: .noCollection
            case .tooLarge: .tooLarge
            case .damaged: .damaged
            case .timedOut, .refused, .promptDismissed, .needsPrompt: .interrupted
            }
        self.init(
            plain.code, plain.message + "; the vault is as it was before", advice: .mendService(trouble, .moving))
    }
}
