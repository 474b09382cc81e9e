internal import CKeyutils
internal import Glibc
package import KeyfobSodium

/// The session keyring of the kernel, as a cache for a key that unlocks a vault.
///
/// Only the session's own keyring is used: keys in the user keyring can be read by every process of
/// the user that cares to link it (`keyrings(7)`), and persistent keyrings outlive the session.
package enum SessionKeyring {
    /// Why the cache cannot be used.
    package enum Failure: Error, Equatable, Sendable {
        /// The session has no keyring of its own, only the user's.
        case noSessionKeyring
        /// The kernel, or the container, offers no keyrings.
        case unavailable(errno: CInt)
        /// The user's quota of keys is used up (`/proc/sys/kernel/keys`).
        case quotaExceeded
    }

    /// Keeps `secret` under `name` for `seconds` (at least 1).
    package static func store(_ secret: borrowing SecretBytes, name: String, seconds: UInt32) throws(Failure) {
        let session = try ownSessionKeyring()
        let key = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe add_key("user", name, $0.baseAddress, $0.count, session) }
        }
        guard key >= 0 else { throw failure() }
        guard keyctl_set_timeout(key, max(1, seconds)) == 0 else {
            let error = failure()
            keyctl_unlink(key, session)
            throw error
        }
    }

    /// The secret under `name`; nil when there is none, or its time has run out.
    package static func read(name: String) throws(Failure) -> SecretBytes? {
        let session = try ownSessionKeyring()
        let key = unsafe keyctl_search(session, "user", name, 0)
        guard key >= 0 else { return nil }
        var count = -1
        let secret = SecretBytes(count: maximumCount) { span in
            count = unsafe span.withUnsafeMutableBytes {
                unsafe keyctl_read(key_serial_t(key), $0.baseAddress, $0.count)
            }
        }
        guard count > 0, count <= maximumCount else { return nil }
        return secret.withBytes { SecretBytes(copying: $0.extracting(0..<count)) }
    }

    /// Forgets the secret under `name`.
    ///
    /// - Returns: Whether there was one.
    package static func remove(name: String) throws(Failure) -> Bool {
        let session = try ownSessionKeyring()
        let key = unsafe keyctl_search(session, "user", name, 0)
        guard key >= 0 else { return false }
        // Revoking first also takes it from processes that hold another link.
        keyctl_revoke(key_serial_t(key))
        keyctl_unlink(key_serial_t(key), session)
        return true
    }

    /// The longest secret, in bytes.
    private static let maximumCount = 256

    /// The session keyring, unless it is the user's under another name.
    private static func ownSessionKeyring() throws(Failure) -> key_serial_t {
        let session = keyctl_get_keyring_ID(KEY_SPEC_SESSION_KEYRING, 0)
        guard session >= 0 else { throw failure() }
        let userSession = keyctl_get_keyring_ID(KEY_SPEC_USER_SESSION_KEYRING, 0)
        let user = keyctl_get_keyring_ID(KEY_SPEC_USER_KEYRING, 0)
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
