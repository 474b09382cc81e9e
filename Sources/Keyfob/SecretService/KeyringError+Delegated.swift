internal import KeyfobDesktop
internal import KeyfobSecretService

extension KeyringError {
    init(_ error: DesktopError) {
        switch error {
        case .service(let error, let partly): self.init(delegatedTo: error, partly: partly)
        case .pending(let error):
            let plain = KeyringError(DesktopError.service(error, partly: false))
            self.init(
                plain.code,
                "a change that was stopped is not complete yet, and nothing is changed before it is: " + plain.message,
                advice: DesktopError.pending(error).isRefusedChange ? .repair : plain.advice)
        case .notOffered(let reason):
            self.init(
                .notOffered, "this vault's records are kept by the Secret Service, where \(reason)",
                advice: .moveToFile)
        }
    }

    /// The error for a vault whose records lie with the Secret Service.
    ///
    /// - Parameter partly: Whether a part of a change was made before it failed.
    private init(delegatedTo error: SecretServiceError, partly: Bool) {
        let plain = KeyringError(error)
        let code = error == .noItem ? .noVault : plain.code
        let message = error == .noItem ? "the Secret Service holds none of this vault's records" : plain.message
        guard !partly else {
            self.init(
                code, message + "; a part of the change was made, and nothing that was there is lost",
                advice: .repeatChange)
            return
        }
        let advice: Advice? =
            switch error {
            case .noLibrary: .mendService(.noLibrary, .records)
            case .noBus: .mendService(.noBus, .records)
            case .noService: .mendService(.noService, .records)
            case .timedOut: .mendService(.timedOut, .records)
            case .locked: .mendService(.locked, .records)
            case .noCollection: .mendService(.noCollection, .records)
            case .noItem: .mendService(.noItem, .records)
            case .refused: .mendService(.refused, .records)
            case .promptDismissed, .needsPrompt, .tooLarge, .damaged: plain.advice
            }
        self.init(code, message, advice: advice)
    }
}
