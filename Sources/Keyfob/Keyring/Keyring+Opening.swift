internal import FoundationEssentials

extension Keyring {
    /// Opens the keyring of this user with what is at hand, in this order: the key file that is given or that `KEYFOB_KEY_FILE`
    /// names, a key that an earlier unlock has left in a kernel keyring, and the keyring of the desktop.
    ///
    ///     let keyring = try Keyring.open()
    ///
    /// It blocks its thread meanwhile.
    ///
    /// - Parameters:
    ///   - vault: The vault's folder; nil for the one that the environment names.
    ///   - keyFile: A key file, or a systemd credential of that name.
    ///   - mayPrompt: Whether the keyring of the desktop may ask the person.
    ///   - environment: The environment variables; nil for those of this process.
    /// - Throws: As ``KeyringLocation/standard(environment:vault:)``, ``LockedKeyring/init(at:clock:)`` and
    ///   ``LockedKeyring/unlock(with:)``; `locked` where nothing at hand opens it.
    public static func open(
        vault: String? = nil, keyFile: String? = nil, mayPrompt: Bool = false,
        environment: [String: String]? = nil
    ) throws(KeyringError) -> Keyring {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let location = try KeyringLocation.standard(environment: environment, vault: vault)
        let locked = try LockedKeyring(at: location)
        guard let file = NamedKeyFile(keyFile, usual: environment["KEYFOB_KEY_FILE"], for: locked) else {
            return try locked.unlockWithKeptKey(
                secretService: SecretServiceOptions(environment: environment, mayPrompt: mayPrompt))
        }
        let content = try file.read(location, for: locked, credentials: environment["CREDENTIALS_DIRECTORY"])
        do throws(KeyringError) {
            return try locked.unlock(with: .keyFile(content))
        } catch {
            throw file.naming(error)
        }
    }
}
