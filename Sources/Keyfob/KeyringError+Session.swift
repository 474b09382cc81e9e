internal import KeyfobKernelKeyring

extension KeyringError {
    init(_ failure: SessionKeyring.Failure) {
        switch failure {
        case .noSessionKeyring:
            self.init(
                .unavailable, "this session has no kernel keyring of its own",
                hint: "log in through PAM with pam_keyinit, or start a shell with 'keyctl session'")
        case .unavailable(let number):
            self.init(.unavailable, "the kernel offers no keyring here: \(Self.text(ofErrno: number))")
        case .quotaExceeded:
            self.init(.unavailable, "the kernel's quota of keys is used up (see /proc/key-users)")
        }
    }
}
