/// Where the records of a vault lie.
public enum StoragePlace: String, Hashable, Sendable, CaseIterable {
    /// In an encrypted database of Keyfob's own, in the vault's folder.
    case embedded
    /// With the Secret Service, the keyring of the desktop: each record is an item of it.
    ///
    /// The service encrypts what it keeps. It has no transactions, so that a change which is stopped in the middle
    /// leaves a part of it; its items have one key, so that groups part accounts and keep nobody out; and any
    /// process of the session may read them while the keyring is unlocked.
    case secretService = "secret-service"
}
