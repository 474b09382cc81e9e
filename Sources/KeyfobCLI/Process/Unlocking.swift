internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobTerminal

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
        case .opened(let keyring): return ready(keyring, reaching: reach, tellsFindings: tellsFindings)
        case .shut(let error): throw error
        }
    }

    /// The same with the key that was given for it; nil where none was, and something at hand or the person opened it.
    func unlockedKeyringAndKey(reaching reach: Reach) throws(KeyringError) -> OpenedByKey {
        let location = try location()
        let locked = try LockedKeyring(at: location)
        guard let key = try givenKey(location, locked) else {
            return OpenedByKey(keyring: try unlockedKeyring(reaching: reach), key: nil)
        }
        let file = namedKeyFile(for: locked)
        do throws(KeyringError) {
            let keyring = try locked.unlock(with: key.copy())
            return OpenedByKey(keyring: ready(keyring, reaching: reach), key: key)
        } catch {
            throw file?.naming(error) ?? error
        }
    }

    /// The same with the key that has opened it, given or typed; that stays nil where something at hand opened it.
    func unlockedKeyring(
        reaching reach: Reach, keeping key: inout LockedKeyring.Key?
    ) throws(KeyringError) -> Keyring {
        switch try attempt(mayAsk: !noInput, keeps: true, &key) {
        case .opened(let keyring): return ready(keyring, reaching: reach)
        case .shut(let error): throw error
        }
    }

    private func ready(_ keyring: Keyring, reaching reach: Reach, tellsFindings: Bool = true) -> Keyring {
        // All that this command changes is undone together.
        if let name = CommandPath(of: Array(CommandLine.arguments.dropFirst())).undoneName { keyring.undo.begin(name) }
        _ = try? keyring.health.stateFindings()
        tellWarnings(of: keyring, andFindings: tellsFindings)
        reach.confine(keyring)
        return keyring
    }

    /// The keyring, or why nothing opens it.
    ///
    /// For commands whose result says what does not follow from what was seen.
    ///
    /// - Parameter mayAsk: Whether a person may be asked, unless `--no-input` says otherwise.
    func opening(reaching reach: Reach, mayAsk: Bool = false) throws(KeyringError) -> UnlockOutcome {
        let opening = try attempt(mayAsk: mayAsk && !noInput)
        if case .opened(let keyring) = opening {
            reach.confine(keyring)
            tellWarnings(of: keyring, andFindings: false)
        }
        return opening
    }

    /// The same for what a shell offers while a line is typed: nothing is told; nil where nothing opens it.
    func openedSilently(reaching reach: Reach = .vault) -> Keyring? {
        guard case .opened(let keyring)? = try? attempt(mayAsk: false) else { return nil }
        reach.confine(keyring)
        return keyring
    }

    /// The vault that another one is to take the place of, with what is at hand; nil where that does not open it.
    ///
    /// Nothing is told, nobody is asked, and a passphrase that is given is the new one's.
    func openedToBeReplaced() -> Keyring? {
        guard passphraseFd == nil, case .opened(let keyring)? = try? attempt(mayAsk: false) else { return nil }
        return keyring
    }

    /// The keyring anew, where `error` came of other keys that the vault has got since it was opened; nil where that is not so,
    /// or nothing at hand opens it.
    func reopened(_ keyring: Keyring, after error: KeyringError) -> Keyring? {
        // What comes over a descriptor can be read once.
        guard keyring.isOutdated(after: error), descriptorsOfSecrets.isEmpty,
            case .opened(let newer)? = try? attempt(mayAsk: false)
        else { return nil }
        return newer
    }

    /// What gives a token here: the keyring, or an agent in its place where nothing at hand opens it.
    ///
    /// - Parameter asksAgent: Whether an agent is asked; where no network is to be used, it is not.
    func tokenSource(reaching reach: Reach, asksAgent: Bool) throws(KeyringError) -> TokenSource {
        if let agent = try AskedAgent(namedIn: Environment.current.variables) {
            guard asksAgent else {
                throw KeyringError(
                    .usage, "the agent that KEYFOB_AGENT names decides about the network: leave --offline out")
            }
            return .agent(agent, AskedAgent.givesTokensAlone, nil)
        }
        guard asksAgent else { return .keyring(try unlockedKeyring(reaching: reach)) }
        let reason: KeyringError
        switch try attempt(mayAsk: false) {
        case .opened(let keyring): return .keyring(ready(keyring, reaching: reach))
        case .shut(let problem): reason = problem
        }
        let location = try location()
        if let agent = try AskedAgent(
            of: location, Environment.current.variables, showsItself: { ProcessHardening.show($0) })
        {
            return .agent(agent, reason, location)
        }
        return .keyring(try unlockedKeyring(reaching: reach))
    }

    /// The keyring after all, where an agent has refused a token and a person opens it.
    ///
    /// - Parameters:
    ///   - error: Why the agent refused.
    ///   - reason: Why nothing at hand opens the keyring.
    /// - Throws: What is to be told where nobody opens it.
    func unlockedKeyring(
        reaching reach: Reach, afterAgent error: KeyringError, _ reason: KeyringError
    ) throws(KeyringError) -> Keyring {
        guard [.locked, .notPermitted].contains(error.code) else { throw error }
        let problem = error.code == .locked ? reason : error
        guard !noInput else { throw problem }
        if error.code == .notPermitted, Terminal.isThere {
            say("keyfob: warning: \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
        }
        do throws(KeyringError) {
            return try unlockedKeyring(reaching: reach)
        } catch {
            throw error.code == .locked ? problem : error
        }
    }

    /// Tells what the owner should know; to be called again after an operation.
    ///
    /// What stays until the owner accepts it is told once in a login on a terminal, and once where a program may have it.
    func tellWarnings(of keyring: Keyring, andFindings tellsFindings: Bool = true) {
        let audience = StandardError.isTerminal ? "terminal" : "program"
        for warning in keyring.takeWarnings() where tellsFindings || !warning.code.isFinding {
            guard keyring.health.isNews(warning, to: audience) else { continue }
            StandardError.write(line: "keyfob: warning: \(NamedVault.completing(TimeText.local(in: warning.text)))")
        }
    }

    private func attempt(mayAsk: Bool) throws(KeyringError) -> UnlockOutcome {
        var key: LockedKeyring.Key?
        return try attempt(mayAsk: mayAsk, keeps: false, &key)
    }

    /// - Parameters:
    ///   - keeps: Whether the key that is given or typed is kept.
    ///   - kept: Where it is kept.
    private func attempt(
        mayAsk: Bool, keeps: Bool, _ kept: inout LockedKeyring.Key?
    ) throws(KeyringError) -> UnlockOutcome {
        let location = try location()
        let locked = try LockedKeyring(at: location)
        if let key = try givenKey(location, locked) {
            let file = namedKeyFile(for: locked)
            if keeps { kept = key.copy() }
            do throws(KeyringError) {
                return .opened(try locked.unlock(with: key))
            } catch {
                if let identity, error.code == .wrongKey {
                    throw error.saying("no key in \(identity) opens the vault", advice: error.advice)
                }
                throw file?.naming(error) ?? error
            }
        }
        let (hasService, hasPassphrase) = (locked.hasSecretServiceSlot, locked.hasPassphraseSlot)
        let reason: KeyringError
        do throws(KeyringError) {
            return .opened(try locked.unlockWithKeptKey(secretService: secretService(mayAsk: mayAsk)))
        } catch  where error.meansNoKeyIsKept {
            reason = error
        }
        guard mayAsk, hasPassphrase, let terminal = Terminal() else { return .shut(reason) }
        if hasService { StandardError.write(line: "keyfob: warning: \(reason.message)") }
        let question = "Passphrase for \(location.vault): "
        let opened = try terminal.hidingTyping { () throws(KeyringError) in
            var attempt = 0
            while true {
                attempt += 1
                let key = LockedKeyring.Key.passphrase(try terminal.askSecret(question))
                if keeps { kept = key.copy() }
                do throws(KeyringError) {
                    return try LockedKeyring(at: location).unlock(with: key)
                } catch  where error.code == .wrongKey && attempt < Self.attempts {
                    StandardError.write(line: "That passphrase does not open the vault.")
                }
            }
        }
        return .opened(opened)
    }

    /// How often a passphrase that is mistyped is asked for.
    private static let attempts = 3

    /// The key file that an option or the environment names, where no option gives another key.
    private func namedKeyFile(for locked: borrowing LockedKeyring) -> NamedKeyFile? {
        guard passphraseFd == nil, identity == nil else { return nil }
        return NamedKeyFile(keyFile, usual: Environment.current["KEYFOB_KEY_FILE"], for: locked)
    }

    /// What the options or the environment give to unlock with.
    private func givenKey(
        _ location: KeyringLocation, _ locked: borrowing LockedKeyring
    ) throws(KeyringError) -> LockedKeyring.Key? {
        if let passphraseFd { return .passphrase(try SecretInput.passphrase(descriptor: passphraseFd)) }
        if let identity { return .identity(try IdentityInput.read(identity, self)) }
        guard let file = namedKeyFile(for: locked) else { return nil }
        return .keyFile(
            try file.read(location, for: locked, credentials: Environment.current["CREDENTIALS_DIRECTORY"]) { name in
                PipeNotice.of(file: name)?()
            })
    }
}

/// A keyring, and the key that was given for it.
struct OpenedByKey: ~Copyable {
    let keyring: Keyring
    let key: LockedKeyring.Key?
}

/// What gives tokens.
enum TokenSource {
    case keyring(Keyring)
    /// An agent, why nothing at hand opens the keyring, and where that is; nil where that is not known here.
    case agent(AskedAgent, KeyringError, KeyringLocation?)

    /// The keyring, where it is open.
    var keyring: Keyring? { if case .keyring(let keyring) = self { keyring } else { nil } }
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
