internal import KeyfobDesktop
internal import KeyfobSecretService

extension KeyringError {
    init(_ error: DesktopError) {
        switch error {
        case .service(let error, let partly): self.init(delegatedTo: error, partly: partly)
        case .notOffered(let reason):
            self.init(
                .notOffered, "this vault's records lie with the Secret Service, where \(reason)",
                hint: "'keyfob migrate --to embedded' moves them into an encrypted file of Keyfob's own")
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
                hint: "do the same again, and see 'keyfob verify'")
            return
        }
        let hint: String? =
            switch error {
            case .noLibrary: "install libsecret (libsecret-1-0 on Debian); this vault's records lie with the service"
            case .noBus: "run this in your desktop session; this vault's records lie with its Secret Service"
            case .noService: "start the desktop's keyring, in which this vault's records lie"
            case .timedOut: "see whether the desktop's keyring hangs; this vault's records lie in it"
            case .locked: "unlock it in your session, for example by opening Seahorse"
            case .noCollection: "make one, for example in Seahorse"
            case .noItem: "see whether another keyring holds them, or restore a backup elsewhere (--vault)"
            case .refused: "see what the desktop's keyring says; this vault's records lie in it"
            case .promptDismissed, .needsPrompt, .tooLarge, .damaged: plain.hint
            }
        self.init(code, message, hint: hint)
    }
}
