internal import KeyfobSecretService

extension KeyringError {
    init(_ error: SecretServiceError) {
        switch error {
        case .noLibrary:
            self.init(
                .unavailable, "the Secret Service cannot be reached: libsecret is not installed",
                hint: "install it (libsecret-1-0 on Debian), or \(Self.otherWays)")
        case .noBus:
            self.init(
                .unavailable, "the Secret Service cannot be reached: there is no session bus here",
                hint: "run this in your desktop session, or \(Self.otherWays)")
        case .noService:
            self.init(
                .unavailable, "the session bus has no Secret Service",
                hint: "start gnome-keyring or another keyring of the desktop, or \(Self.otherWays)")
        case .timedOut:
            self.init(
                .unavailable, "the Secret Service has not answered in time",
                hint: "see whether the desktop's keyring hangs, or \(Self.otherWays)")
        case .locked:
            self.init(
                .locked, "the desktop's keyring (Secret Service) is locked",
                hint: "unlock it in your session (for example by opening Seahorse), or \(Self.otherWays)")
        case .promptDismissed:
            self.init(.cancelled, "the desktop's keyring (Secret Service) asked, and the question was dismissed")
        case .noCollection:
            self.init(
                .locked, "the desktop's keyring (Secret Service) has no default collection",
                hint: "make one (for example in Seahorse), or \(Self.otherWays)")
        case .noItem:
            self.init(
                .locked, "the desktop's keyring (Secret Service) does not hold the key of this vault",
                hint: "unlock with another slot; 'keyfob doctor' tells how to mend it")
        case .needsPrompt:
            self.init(
                .locked, "the desktop's keyring (Secret Service) wants to ask first",
                hint: "run this again where it may ask, without --no-input")
        case .tooLarge(let limit):
            self.init(.limitExceeded, "the Secret Service takes \(limit) bytes at most")
        case .damaged:
            self.init(.damaged, "an item of the desktop's keyring (Secret Service) is not what Keyfob stored there")
        case .refused(let name):
            self.init(
                .unavailable, "the Secret Service refused (\(name))",
                hint: "see what the desktop's keyring says, or \(Self.otherWays)")
        }
    }

    private static let otherWays = "give another key, such as --key-file or --identity"
}
