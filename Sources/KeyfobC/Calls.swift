internal import FoundationEssentials
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobSignIn
internal import KeyfobSodium

// What the calls of keyfob.h do, in terms of Swift.

extension OpenKeyring {
    /// Finds and unlocks a keyring without asking anybody at a terminal.
    static func open(_ options: OptionValues.Snapshot) throws(KeyringError) -> OpenKeyring {
        DeferredSignals.leaveAlone()
        let environment = ProcessInfo.processInfo.environment
        return OpenKeyring(try giver(options, environment), environment, options)
    }

    /// What gives tokens, opened by options or by what is at hand.
    static func giver(
        _ options: OptionValues.Snapshot, _ environment: [String: String]
    ) throws(KeyringError) -> Giver {
        if let agent = try AskedAgent(namedIn: environment) { return .agent(agent, AskedAgent.givesTokensAlone) }
        do throws(KeyringError) {
            return .keyring(try keyring(options, environment))
        } catch {
            return try agent(options, environment, insteadOf: error)
        }
    }

    /// The keyring, opened by options or by what is at hand.
    static func keyring(
        _ options: OptionValues.Snapshot, _ environment: [String: String]
    ) throws(KeyringError) -> Keyring {
        let keyring = try Keyring.open(
            vault: options["vault"], keyFile: options["key-file"], mayPrompt: options.flag("may-ask"),
            environment: environment)
        // What was found of the vault's history is among the warnings.
        _ = try? keyring.health.stateFindings()
        return keyring
    }

    /// An agent that has the vault open, or opens it when it is asked, where no key is kept here and none was named.
    ///
    /// - Throws: `error`, why the keyring was not opened, where there is none.
    static func agent(
        _ options: OptionValues.Snapshot, _ environment: [String: String], insteadOf error: KeyringError
    ) throws(KeyringError) -> Giver {
        let location = try KeyringLocation.standard(environment: environment, vault: options["vault"])
        guard error.meansNoKeyIsKept, let locked = try? LockedKeyring(at: location),
            NamedKeyFile(options["key-file"], usual: environment["KEYFOB_KEY_FILE"], for: locked) == nil,
            let agent = try AskedAgent(of: location, environment)
        else { throw error }
        if try agent.isOpen() { return .agent(agent, error) }
        do throws(KeyringError) {
            _ = try agent.accounts(in: nil)
            return .agent(agent, error)
        } catch let refusal {
            throw refusal.code == .locked ? error : refusal
        }
    }

    /// A token, stored or renewed.
    func token(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        if options.flag("offline"), options.flag("force-refresh") || options["claims"] != nil {
            throw KeyringError(.usage, "--offline goes with neither --force-refresh nor --claims")
        }
        let request = try request(options)
        let silent = SilentOptions(
            forcesRefresh: options.flag("force-refresh"), claims: options["claims"],
            allowsExtendedLifetime: options.flag("extended-lifetime"))
        let keyring: Keyring
        switch try giver {
        case .keyring(let open): keyring = open
        case .agent(_, let reason) where options.flag("offline"): throw reason
        case .agent(let agent, let reason):
            do throws(KeyringError) {
                return try row(try agent.token(request, in: groups(options), silent))
            } catch {
                throw error.code == .locked && !agent.isNamed ? reason : error
            }
        }
        var acquisition = TokenAcquisition(request, in: try groups(options), options: silent)
        if !options.flag("offline") {
            acquisition.network = { [environment, certificateFile] () throws(KeyringError) in
                try Network.ofThisMachine(certificateFile: certificateFile, environment: environment) { _ in }
            }
        }
        let answer = try keyring.tokens.get(acquisition) { (missing) throws(KeyringError) in
            guard let program = refreshProgram else { return nil }
            return try program.answer(to: missing, of: keyring)
        } here: { (missing) throws(KeyringError) in
            try CurrentThreadExecutor.run { () async throws(KeyringError) in
                TokenBox(try await keyring.tokens.refresh(missing))
            }.answer
        }
        return try row(answer, request, keyring)
    }

    /// Who refreshes tokens, so that none is lost when this program is killed; nil where nobody can be started.
    private var refreshProgram: RefreshProgram? {
        LibraryPlace.fullProgram.map {
            RefreshProgram(
                path: $0, environment: environment, certificateFile: certificateFile, kept: refreshLine)
        }
    }

    /// The answer with a token of a keyring's, whose choice is remembered.
    private func row(
        _ answer: borrowing Keyring.TokenAnswer, _ request: TokenRequest, _ keyring: Keyring
    ) throws(KeyringError) -> Answer {
        let row = try row(answer)
        let found = answer.found
        keyring.uses.note(found, for: request)
        if case .learned = found.reason {
            keyring.accounts.remember(found.account.id, in: found.group, for: request, by: .selection)
        }
        return row
    }

    private func row(_ answer: borrowing Keyring.TokenAnswer) throws(KeyringError) -> Answer {
        try answer.requirePrintable()
        var row = Record(answer.found).row
        row["scopes"] = answer.found.credential.scopes.spaceSeparated
        row["expiresAt"] = answer.found.credential.expiresOn.map { "\($0.seconds)" }
        return Answer(row, "token", secret: answer.secret)
    }

    /// Sees to it that a token which a service has refused is not given again.
    func refuse(_ token: borrowing SecretBytes, _ options: OptionValues.Snapshot) throws(KeyringError) {
        let (request, groups) = (try request(options), try groups(options))
        guard case .agent(let agent, _) = try giver else {
            _ = try keyring.tokens.refused(token, for: request, in: groups)
            return
        }
        let given = try agent.token(request, in: groups, SilentOptions())
        guard given.secret.isEqual(to: token), given.found.origin != .provider else { return }
        var renewal = request
        renewal.account = given.found.account.id.description
        renewal.keepTenant(of: given.found)
        _ = try agent.token(renewal, in: groups, SilentOptions(forcesRefresh: true))
    }

    /// The accounts, each a row.
    func accounts(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        let groups = try groups(options)
        let records =
            switch try giver {
            case .agent(let agent, _): try agent.accounts(in: groups)
            case .keyring(let keyring): try keyring.accounts.list(in: groups).map { Record($0) }
            }
        let outline = Record.outline(AccountRecord.fields)
        return Answer(records.map { $0.row.merging([Answer.outlineName: outline]) { $1 } })
    }

    /// What the owner should know, each a row.
    func warnings() -> Answer {
        guard case .keyring(let keyring)? = try? giver else { return Answer([]) }
        return Answer(
            keyring.takeWarnings().map {
                [
                    "code": $0.code.rawValue, "message": $0.message, "hint": $0.advice?.text, "advice": $0.advice?.code,
                ]
            })
    }

    func groups(_ options: OptionValues.Snapshot) throws(KeyringError) -> [AccessGroup]? {
        try [AccessGroup].named(options.list("group"), usual: variable("KEYFOB_GROUP"))
    }

    private func request(_ options: OptionValues.Snapshot) throws(KeyringError) -> TokenRequest {
        let words = options.words
        if let flaw = words.flaw { throw KeyringError(.usage, flaw) }
        return try words.request(
            usualAccount: variable("KEYFOB_ACCOUNT"), usualTool: CallingTool.ownName,
            person: PersonalGit { variable($0) },
            minimumValidity: options["min-validity"].flatMap(Int64.init))
    }
}

extension Record {
    /// The fields as texts.
    fileprivate var row: [String: String?] {
        Dictionary(fields.map { ($0.name, $0.value?.text) }, uniquingKeysWith: { $1 })
    }
}
