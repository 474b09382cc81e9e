internal import KeyfobKernelKeyring

extension KeyringError {
    init(_ failure: KernelKeyring.Failure) {
        switch failure {
        case .noSessionKeyring:
            self.init(
                .unavailable, "this session has no kernel keyring of its own",
                hint: "log in through PAM with pam_keyinit, start a shell with 'keyctl session', or let all that you "
                    + "run have the key with 'keyfob unlock --user'")
        case .unavailable(let number):
            self.init(
                .unavailable, "the kernel offers no keyring here: \(Self.text(ofErrno: number))",
                hint: "give a key file (--key-file, KEYFOB_KEY_FILE) to each command")
        case .quotaExceeded:
            self.init(.unavailable, "the kernel's quota of keys is used up (see /proc/key-users)")
        }
    }
}
