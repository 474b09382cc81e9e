internal import Keyfob

/// What people are told about where records lie.
enum StorageText {
    /// What `status` says of a vault that the desktop's keyring keeps, and of what that one cannot do.
    static let ofSecretService = [
        "storage with the desktop's keyring (Secret Service), an item for each account and token",
        "        a change that is interrupted may be made in part: the service has no transactions",
        "        groups keep accounts apart, and nobody out: the service has one key for all of them",
        "        while that keyring is unlocked, every program of the session can read it",
    ]
}
