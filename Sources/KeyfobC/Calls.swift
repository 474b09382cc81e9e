internal import Foundation
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobSodium

// What the calls of keyfob.h do, in terms of Swift.

extension OpenKeyring {
    /// Finds and unlocks a keyring without asking anybody at a terminal.
    static func open(_ options: OptionValues.Snapshot) throws(KeyringError) -> OpenKeyring {
        DeferredSignals.leaveAlone()
        let environment = ProcessInfo.processInfo.environment
        let location = try KeyringLocation.standard(environment: environment, vault: options["vault"])
        let locked = try LockedKeyring(at: location)
        let keyring: Keyring
        let usual = locked.storage == .embedded ? environment["KEYFOB_KEY_FILE"].flatMap { $0.isEmpty ? nil : $0 } : nil
        if let named = options["key-file"] ?? usual {
            let advice: Advice? = locked.hasRecoveryKey ? .replaceLostKey("key-file") : nil
            let content = try KeyFile.read(
                named, vault: location.vault, credentials: environment["CREDENTIALS_DIRECTORY"], ifMissing: advice)
            keyring = try locked.unlock(with: .keyFile(content))
        } else {
            keyring = try locked.unlockWithKeptKey(
                secretService: SecretServiceOptions(environment: environment, mayPrompt: options.flag("may-ask")))
        }
        // What was found of the vault's history is among the warnings.
        _ = try? keyring.stateFindings()
        return OpenKeyring(keyring, environment, certificateFile: options["ca-file"])
    }

    /// A token, stored or renewed.
    func token(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        if options.flag("offline"), options.flag("force-refresh") || options["claims"] != nil {
            throw KeyringError(.usage, "--offline goes with neither --force-refresh nor --claims")
        }
        let request = try request(options)
        var acquisition = TokenAcquisition(
            request, in: try groups(options),
            options: SilentOptions(
                forcesRefresh: options.flag("force-refresh"), claims: options["claims"],
                allowsExtendedLifetime: options.flag("extended-lifetime")))
        if !options.flag("offline") {
            acquisition.network = { [environment, certificateFile] () throws(KeyringError) in
                try Network.ofThisMachine(certificateFile: certificateFile, environment: environment) { _ in }
            }
        }
        switch try keyring.lookUp(acquisition) {
        case .found(let answer): return try printable(answer, request)
        case .missing(let token):
            return try CurrentThreadExecutor.run { [self] () async throws(KeyringError) in
                try printable(try await keyring.refresh(token), request)
            }
        }
    }

    private func printable(
        _ answer: borrowing Keyring.TokenAnswer, _ request: TokenRequest
    ) throws(KeyringError) -> Answer {
        try answer.requirePrintable()
        let found = answer.found
        if case .learned = found.reason {
            keyring.remember(found.account.id, in: found.group, for: request, by: .selection)
        }
        let credential = found.credential
        return Answer(
            [
                "tokenType": credential.shownTokenType, "expiresOn": credential.expiresOn?.rfc3339,
                "expiresAt": credential.expiresOn.map { "\($0.seconds)" },
                "scopes": credential.scopes.scopes.joined(separator: " "), "account": found.account.id.description,
                "username": found.account.username, "group": found.group.name, "clientID": credential.clientID,
                "tenant": credential.realm.isEmpty ? nil : credential.realm, "source": found.origin.rawValue,
            ], "token", secret: answer.secret)
    }

    /// Sees to it that a token which a service has refused is not given again.
    func refuse(_ token: borrowing SecretBytes, _ options: OptionValues.Snapshot) throws(KeyringError) {
        _ = try keyring.refused(token, for: try request(options), in: try groups(options))
    }

    /// The accounts, each a row.
    func accounts(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        Answer(
            try keyring.accounts(in: groups(options)).map { candidate in
                let account = candidate.account
                let reason: String? = if case .needsSignIn(let reason) = candidate.state { reason } else { nil }
                return [
                    "id": account.id.description, "homeAccountID": account.id.homeAccountID,
                    "environment": account.id.environment, "username": account.username,
                    "displayName": account.displayName, "label": account.label, "group": candidate.group.name,
                    "state": candidate.state.name, "stateReason": reason, "homeTenant": account.homeRealm,
                    "isDefault": "\(candidate.isDefault)", "signInEndsOn": candidate.end?.endsOn.rfc3339,
                ]
            })
    }

    /// What the owner should know, each a row.
    func warnings() -> Answer {
        Answer(
            keyring.takeWarnings().map {
                ["code": $0.code.rawValue, "message": $0.message, "hint": $0.advice?.text]
            })
    }

    /// All tokens in the form of MSAL's caches.
    func cache(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        let groups = try groups(options)
        let account = try options["account"].map { name throws(KeyringError) in
            try keyring.account(named: name, in: groups).account.id
        }
        // Written twice, since its length shows at the end; what grows in between is measured again.
        for _ in 0..<10 {
            var size = 0
            _ = try keyring.exportMSALCache(in: groups, account: account) { size += $0.byteCount }
            var buffer = SecretBuffer(capacity: size)
            var fits = true
            _ = try keyring.exportMSALCache(in: groups, account: account) { piece in
                fits = fits && piece.byteCount <= size - buffer.count
                if fits { buffer.append(piece) }
            }
            guard fits else { continue }
            return Answer([:], "cache", secret: buffer.withBytes { SecretBytes(copying: $0) })
        }
        throw KeyringError(.busy, "others keep changing the vault", advice: .tryAgain(.nothingChanged))
    }

    /// Takes in tokens in the form of MSAL's caches.
    func write(cache: borrowing SecretBytes, _ options: OptionValues.Snapshot) throws(KeyringError) {
        _ = try keyring.importMSALCache(cache, in: groups(options), bringsBackRemoved: true)
    }

    /// Removes an account from its group.
    func removeAccount(_ options: OptionValues.Snapshot) throws(KeyringError) {
        // The environment's is for what is asked for, and not for what goes.
        guard let name = options["account"] else {
            throw KeyringError(.usage, "no account is named", advice: .chooseAccount(such: nil, group: nil))
        }
        let found = try keyring.account(named: name, in: groups(options))
        _ = try keyring.remove(found.account.id, from: found.group)
    }

    private func groups(_ options: OptionValues.Snapshot) throws(KeyringError) -> [AccessGroup]? {
        try [AccessGroup].named(options.list("group"), usual: variable("KEYFOB_GROUP"))
    }

    private func request(_ options: OptionValues.Snapshot) throws(KeyringError) -> TokenRequest {
        let words = options.words
        if let url = options["url"], Identifier.folded(url).hasPrefix("http://") {
            do { _ = try EndpointURL(url) } catch {
                throw KeyringError(.hostNotAllowed, "no token goes there: \(error)", hint: "use https")
            }
        }
        if let flaw = words.flaw { throw KeyringError(.usage, flaw) }
        return try words.request(
            usualAccount: variable("KEYFOB_ACCOUNT"), usualTool: CallingTool.ownName,
            person: PersonalGit { variable($0) },
            minimumValidity: options["min-validity"].flatMap(Int64.init) ?? TokenRequest.usualMinimumValidity)
    }
}
