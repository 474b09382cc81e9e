internal import KeyfobKernelKeyring

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
