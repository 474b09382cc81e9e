internal import CKeyutils
internal import Glibc

/// The kernel's keyrings, as a place for a small wrapped secret.
///
/// Whoever *possesses* a key, which everybody does who runs in the same session (also by `su`, `sudo` or setuid), may
/// read it unless it says otherwise (`keyrings(7)`). A key of this type says so: it is its owner's alone, who can
/// neither hand it on nor change that.
package enum KernelKeyring: CaseIterable, Sendable {
    /// The session's own keyring: what runs in another session has no part in it.
    case session
    /// The user's keyring, which every process of the user can read.
    case user

    /// Why a keyring cannot be used.
    package enum Failure: Error, Equatable, Sendable {
        /// The session has no keyring of its own, only the user's.
        case noSessionKeyring
        /// The kernel, or the container, offers no keyrings.
        case unavailable(errno: CInt)
        /// The user's quota of keys is used up (`/proc/sys/kernel/keys`).
        case quotaExceeded
    }

    /// Whose the keys are that this process keeps.
    package static var owner: UInt32 { geteuid() }

    /// Keeps `bytes` under `name` for `seconds` (at least 1).
    package func store(_ bytes: [UInt8], name: String, seconds: UInt32) throws(Failure) {
        let keyring = try keyring()
        // Another key of that name cannot be written to, only replaced.
        _ = try remove(name: name)
        // It is made where this process alone finds it, and shown to others when nobody else can read it.
        let key = unsafe add_key("user", name, bytes, bytes.count, KEY_SPEC_PROCESS_KEYRING)
        guard key >= 0 else { throw Self.failure() }
        defer { keyctl_unlink(key, KEY_SPEC_PROCESS_KEYRING) }
        let toLink = permissions | key_perm_t(KEY_USR_LINK | KEY_USR_SETATTR)
        guard keyctl_set_timeout(key, max(1, seconds)) == 0, keyctl_setperm(key, toLink) == 0,
            keyctl_link(key, keyring) == 0
        else { throw Self.failure() }
        guard keyctl_setperm(key, permissions) == 0 else {
            let error = Self.failure()
            keyctl_unlink(key, keyring)
            throw error
        }
    }

    /// What is kept under `name`; nil when there is nothing, or its time has run out.
    package func read(name: String) throws(Failure) -> [UInt8]? {
        let key = unsafe keyctl_search(try keyring(), "user", name, 0)
        guard key >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.maximumCount)
        let count = unsafe keyctl_read(key_serial_t(key), &bytes, bytes.count)
        guard count > 0, count <= bytes.count else { return nil }
        return Array(bytes[..<Int(count)])
    }

    /// Forgets what is kept under `name`, for whoever holds a link to it, too.
    ///
    /// - Returns: Whether there was anything.
    package func remove(name: String) throws(Failure) -> Bool {
        let keyring = try keyring()
        let key = unsafe keyctl_search(keyring, "user", name, 0)
        guard key >= 0 else { return false }
        if keyctl_invalidate(key_serial_t(key)) != 0 { keyctl_unlink(key_serial_t(key), keyring) }
        return true
    }

    /// Forgets a key of this user's by its serial number, whatever session keeps it, for whoever holds a link to it.
    ///
    /// - Returns: Whether the kernel has done so.
    package static func forget(serial: Int32) -> Bool { keyctl_invalidate(serial) == 0 }

    /// How the names of keys begin that are made for a trial.
    package static let probes = "keyfob:probe:"

    /// Does something while the kernel has a key of this process, which its owner may see; nil where the kernel takes none.
    package static func withProbe<Result>(_ body: (Int32) -> Result) -> Result? {
        let name = probes + "\(getpid())"
        let key = unsafe add_key("user", name, [1], 1, KEY_SPEC_PROCESS_KEYRING)
        guard key >= 0 else { return nil }
        defer { keyctl_unlink(key, KEY_SPEC_PROCESS_KEYRING) }
        return body(key)
    }

    /// Tries it with a key of its own: that there is a keyring does not mean that it can be used.
    package func probe() throws(Failure) {
        let name = Self.probes + "\(getpid())"
        try store([1], name: name, seconds: 1)
        let found = try read(name: name)
        _ = try remove(name: name)
        guard found == [1] else { throw .unavailable(errno: EACCES) }
    }

    /// The most bytes that are read.
    private static let maximumCount = 256

    /// No right for whoever possesses the key.
    ///
    /// The owner may see and find it; having found it in a keyring of the process is enough to read it. A process of the
    /// same user in another session, which guesses its number, finds it nowhere.
    private var permissions: key_perm_t {
        let found = key_perm_t(KEY_USR_VIEW | KEY_USR_SEARCH)
        // Not every session has a link to the user's keyring.
        return self == .user ? found | key_perm_t(KEY_USR_READ) : found
    }

    private func keyring() throws(Failure) -> key_serial_t {
        let user = keyctl_get_keyring_ID(KEY_SPEC_USER_KEYRING, self == .user ? 1 : 0)
        if self == .user {
            guard user >= 0 else { throw Self.failure() }
            return user
        }
        let session = keyctl_get_keyring_ID(KEY_SPEC_SESSION_KEYRING, 0)
        guard session >= 0 else { throw Self.failure() }
        let userSession = keyctl_get_keyring_ID(KEY_SPEC_USER_SESSION_KEYRING, 0)
        guard session != userSession, session != user else { throw .noSessionKeyring }
        return session
    }

    private static func failure() -> Failure {
        switch errno {
        case EDQUOT: .quotaExceeded
        case ENOKEY: .noSessionKeyring
        default: .unavailable(errno: errno)
        }
    }
}
