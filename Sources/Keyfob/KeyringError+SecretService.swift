internal import KeyfobKernelKeyring
internal import KeyfobSecretService

extension KeyringError {
    init(_ error: SecretServiceError) {
        switch error {
        case .noLibrary:
            self.init(
                .unavailable, "the Secret Service cannot be reached: libsecret is not installed",
                advice: .mendService(.noLibrary, .unlocking))
        case .noBus:
            self.init(
                .unavailable, "the Secret Service cannot be reached: there is no session bus here",
                advice: .mendService(.noBus, .unlocking))
        case .noService:
            self.init(
                .unavailable, "the session bus has no Secret Service",
                advice: .mendService(.noService, .unlocking))
        case .timedOut:
            self.init(
                .unavailable, "the Secret Service has not answered in time",
                advice: .mendService(.timedOut, .unlocking))
        case .locked:
            self.init(
                .locked, "the desktop's keyring (Secret Service) is locked",
                advice: .mendService(.locked, .unlocking))
        case .promptDismissed:
            self.init(
                .cancelled,
                "the desktop's keyring (Secret Service) asked, and the question was dismissed, or could not be shown")
        case .noCollection:
            self.init(
                .locked, "the desktop's keyring (Secret Service) has no default collection",
                advice: .mendService(.noCollection, .unlocking))
        case .noItem:
            self.init(
                .locked, "the desktop's keyring (Secret Service) does not hold the key of this vault",
                advice: .unlockOtherwise)
        case .needsPrompt:
            self.init(
                .locked, "the desktop's keyring (Secret Service) wants to ask first",
                advice: .allowPrompt)
        case .tooLarge(let limit):
            self.init(.limitExceeded, "the Secret Service takes \(limit) bytes at most")
        case .damaged:
            self.init(.damaged, "an item of the desktop's keyring (Secret Service) is not what Keyfob stored there")
        case .refused(let name):
            self.init(
                .unavailable, "the Secret Service refused (\(name))",
                advice: .mendService(.refused, .unlocking))
        }
    }
}

extension KeyringError {
    /// What other programs keep with the service cannot be had.
    init(ofOthers error: any Error) {
        guard let failure = error as? SecretServiceError else {
            self = KeyringError(.unavailable, "the Secret Service cannot be used")
            return
        }
        self = KeyringError(failure).saying(.importing)
    }

    /// The same where the service was used for something else than to unlock a vault.
    func saying(_ use: Advice.ServiceUse) -> KeyringError {
        guard case .mendService(let trouble, _) = advice else { return self }
        return saying(advice: .mendService(trouble, use))
    }
}

extension KeyringError {
    init(_ failure: KernelKeyring.Failure) {
        switch failure {
        case .noSessionKeyring:
            self.init(
                .unavailable, "this session has no kernel keyring of its own",
                advice: .startSession)
        case .unavailable(let number):
            self.init(
                .unavailable, "the kernel offers no keyring here: \(Self.text(ofErrno: number))",
                advice: .giveKeyFile)
        case .quotaExceeded:
            self.init(.unavailable, "the kernel's quota of keys is used up (see /proc/key-users)")
        }
    }
}
