internal import Keyfob
internal import KeyfobFiles

extension GlobalOptions {
    /// Opens and unlocks the keyring with what the options, the environment, the session, the desktop's keyring or the
    /// person offers, and tells what the owner should know; from then on the process reaches as far as said.
    ///
    /// - Parameter tellsFindings: Whether what the owner has not accepted of the vault's state is told; false for a command
    ///   whose result says it.
    func unlockedKeyring(
        reaching reach: Reach = .vault, tellsFindings: Bool = true
    ) throws(KeyringError) -> Keyring {
        switch try attempt(mayAsk: !noInput) {
        case .opened(let keyring):
            _ = try? keyring.stateFindings()
            tellWarnings(of: keyring, andFindings: tellsFindings)
            reach.confine(keyring)
            return keyring
        case .shut(let error): throw error
        }
    }

    /// The same without asking anything: the keyring, or why nothing opens it.
    ///
    /// For commands whose result says what does not follow from what was seen.
    func openedWithoutAsking(reaching reach: Reach) throws(KeyringError) -> UnlockOutcome {
        let opening = try attempt(mayAsk: false)
        if case .opened(let keyring) = opening {
            reach.confine(keyring)
            tellWarnings(of: keyring, andFindings: false)
        }
        return opening
    }

    /// Tells what the owner should know; to be called again after an operation.
    ///
    /// What stays until the owner accepts it is told once in a login on a terminal, and once where a program may have it.
    func tellWarnings(of keyring: Keyring, andFindings tellsFindings: Bool = true) {
        let audience = StandardError.isTerminal ? "terminal" : "program"
        for warning in keyring.takeWarnings() where tellsFindings || !warning.code.isFinding {
            guard keyring.isNews(warning, to: audience) else { continue }
            StandardError.write(line: "keyfob: warning: \(warning.text)")
        }
    }

    private func attempt(mayAsk: Bool) throws(KeyringError) -> UnlockOutcome {
        let location = try location()
        let locked = try LockedKeyring(at: location)
        if let key = try givenKey(location, locked) { return .opened(try locked.unlock(with: key)) }
        let (hasService, hasPassphrase) = (locked.hasSecretServiceSlot, locked.hasPassphraseSlot)
        var reason: KeyringError
        do throws(KeyringError) {
            return .opened(try locked.unlock(with: .session))
        } catch  where error.code == .locked {
            reason = error
        }
        if hasService {
            do throws(KeyringError) {
                let key = LockedKeyring.Key.secretService(secretService(mayAsk: mayAsk))
                return .opened(try LockedKeyring(at: location).unlock(with: key))
            } catch  where [.locked, .unavailable, .cancelled, .wrongKey].contains(error.code) {
                reason = error
            }
        }
        guard mayAsk, hasPassphrase || !hasService, let terminal = Terminal() else { return .shut(reason) }
        if hasService { StandardError.write(line: "keyfob: warning: \(reason.message)") }
        let passphrase = try terminal.askSecret("Passphrase for \(location.vault): ")
        return .opened(try LockedKeyring(at: location).unlock(with: .passphrase(passphrase)))
    }

    /// What the options or the environment give to unlock with.
    ///
    /// A key file that the environment names is for vaults that have such slots.
    private func givenKey(
        _ location: KeyringLocation, _ locked: borrowing LockedKeyring
    ) throws(KeyringError) -> LockedKeyring.Key? {
        if let passphraseFd { return .passphrase(try SecretInput.passphrase(descriptor: passphraseFd)) }
        if let identity { return .identity(try IdentityInput.read(identity, self)) }
        let environment = Environment.current
        let usual = locked.storage == .embedded ? environment["KEYFOB_KEY_FILE"] : nil
        guard let named = keyFile ?? usual else { return nil }
        return .keyFile(
            try KeyFile.read(
                named, vault: location.vault, environment,
                ifMissing: locked.hasRecoveryKey ? .replaceLostKey("key-file") : nil))
    }
}

/// What came of trying to unlock.
enum UnlockOutcome {
    case opened(Keyring)
    /// Nothing that was at hand opens it; that says why.
    case shut(KeyringError)

    /// The keyring, where it is open.
    var keyring: Keyring? {
        if case .opened(let keyring) = self { keyring } else { nil }
    }

    /// Why nothing opens it; nil where it is open.
    var problem: KeyringError? {
        if case .shut(let reason) = self { reason } else { nil }
    }
}

/// A key file, and where it may not be.
enum KeyFile {
    /// What the file holds, or a systemd credential of that name.
    ///
    /// - Parameter advice: What to do where there is no such file.
    /// - Throws: `configuration` for a file in the vault's own folder or open to others, `noSuchFile`, `inputOutput`.
    static func read(
        _ named: String, vault: String, _ environment: Environment = .current, ifMissing advice: Advice?
    ) throws(KeyringError) -> SecretBytes {
        let path = try path(of: named, vault: vault, environment)
        do throws(KeyringError) {
            return try SecretInput.keyFile(path)
        } catch  where error.code == .noSuchFile && (try? POSIXFile.status(path) == nil) == true {
            throw KeyringError(error.code, error.message, advice: advice)
        }
    }

    /// Makes a new file with a random key, and the folders for it.
    ///
    /// - Returns: What the file holds.
    /// - Throws: `configuration` for a file in the vault's own folder, `alreadyExists`, `inputOutput`.
    static func make(_ named: String, vault: String) throws(KeyringError) -> SecretBytes {
        let path = try path(of: named, vault: vault, Environment(variables: [:]))
        if let end = path.lastIndex(of: "/"), end > path.startIndex {
            try? POSIXFile.createDirectories(String(path[..<end]))
        }
        let quoted = ShellWord.quoted(path)
        let file = try OutputFile(path, hint: "'keyfob init --key-file \(quoted)' uses the key that it holds")
        let key = SecretBytes.random(count: 32)
        try key.withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
        try file.commit()
        return key
    }

    /// The path of a key file: the file, or a systemd credential of that name.
    ///
    /// - Throws: `configuration` for a file in the vault's own folder, where a thief of the vault finds it.
    private static func path(
        of named: String, vault: String, _ environment: Environment
    ) throws(KeyringError) -> String {
        let credentials = environment["CREDENTIALS_DIRECTORY"]
        guard let path = SecretFile.keyPath(of: named, vault: vault, credentials: credentials) else {
            throw KeyringError(
                .configuration, "the key file lies in the vault's folder, where whoever takes the vault takes it too",
                hint: "keep it somewhere else")
        }
        return path
    }
}
