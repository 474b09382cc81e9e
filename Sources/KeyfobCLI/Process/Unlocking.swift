internal import Keyfob

extension GlobalOptions {
    /// Opens and unlocks the keyring with what the options, the environment, the session or the person
    /// offers, and tells what the owner should know.
    func unlockedKeyring() throws(KeyringError) -> Keyring {
        let keyring = try unlock(try LockedKeyring(at: location()), mayAsk: !noInput)
        tellWarnings(of: keyring)
        return keyring
    }

    /// The same, but nil where nothing unlocks it without asking.
    func keyringUnlockedWithoutAsking() throws(KeyringError) -> Keyring? {
        do {
            let keyring = try unlock(try LockedKeyring(at: location()), mayAsk: false)
            tellWarnings(of: keyring)
            return keyring
        } catch  where error.code == .locked {
            return nil
        }
    }

    /// Tells what the owner should know; to be called again after an operation.
    func tellWarnings(of keyring: Keyring) {
        for warning in keyring.takeWarnings() {
            StandardError.write(line: Table.printable("keyfob: warning: \(warning)"))
        }
    }

    private func unlock(_ locked: consuming LockedKeyring, mayAsk: Bool) throws(KeyringError) -> Keyring {
        let environment = Environment.current
        if let passphraseFd {
            return try locked.unlock(with: .passphrase(try SecretInput.passphrase(descriptor: passphraseFd)))
        }
        if let identity {
            return try locked.unlock(with: .identity(try SecretInput.keyFile(identity)))
        }
        if let named = keyFile ?? environment["KEYFOB_KEY_FILE"] {
            let path = try KeyFile.path(of: named, vault: location(environment).vault, environment)
            return try locked.unlock(with: .keyFile(try SecretInput.keyFile(path)))
        }
        let again = try location(environment)
        do {
            return try locked.unlock(with: .session)
        } catch  where error.code == .locked && mayAsk {
            guard let terminal = Terminal() else { throw error }
            let passphrase = try terminal.askSecret("Passphrase for \(again.vault): ")
            return try LockedKeyring(at: again).unlock(with: .passphrase(passphrase))
        }
    }
}

/// Where a key file is, and where it may not be.
enum KeyFile {
    /// The path of a key file: the file, or a systemd credential of that name.
    ///
    /// - Throws: `configuration` for a file in the vault's own folder, where a thief of the vault finds it.
    static func path(
        of named: String, vault: String, _ environment: Environment = .current
    ) throws(KeyringError) -> String {
        if !named.contains("/"), let folder = environment["CREDENTIALS_DIRECTORY"] {
            return folder + "/" + named
        }
        if RealPath.of(named).hasPrefix(RealPath.of(vault) + "/") {
            throw KeyringError(
                .configuration, "the key file lies in the vault's folder, where whoever takes the vault takes it too",
                hint: "keep it somewhere else")
        }
        return named
    }
}
