internal import ArgumentParser
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobTerminal

/// What the helpers that other tools call have in common: they ask for nothing but the account, where a person is there.
struct CredentialOptions: ParsableArguments {
    @OptionGroup var request: RequestOptions
    @OptionGroup var refresh: RefreshOptions
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if request.url != nil || request.tool != nil {
            throw ValidationError(
                "the tool says itself what it is and what it asks for; --url and --tool have no meaning")
        }
        if request.allowHost != nil {
            throw ValidationError(
                "who writes the tool's configuration names the host too, so --allow-host has no meaning; "
                    + "'keyfob bind --host HOST ACCOUNT' allows it")
        }
        if global.json { throw ValidationError("the answer has the tool's own form; --json has no meaning") }
    }

    /// What a tool asks for.
    struct Question {
        /// The tool's name.
        let tool: String
        /// Where the token goes.
        let url: CredentialURL
        /// Whom the user in the address means, where there is one.
        var login: String?
        /// The account whose token the tool had before.
        var account: String?
    }

    /// The keyring, opened without asking.
    func keyring(reaching reach: Reach = .files()) throws(KeyringError) -> Keyring {
        if isAgentNamed { throw AskedAgent.givesTokensAlone }
        return try unattended.unlockedKeyring(reaching: reach)
    }

    /// Whether `KEYFOB_AGENT` names an agent, which keeps nothing that a tool stores or finds refused.
    var isAgentNamed: Bool { Environment.current["KEYFOB_AGENT"]?.isEmpty == false }

    /// Has the agent that `KEYFOB_AGENT` names get another token in the place of one that the tool says is refused.
    func refusedToAgent(_ secret: borrowing SecretBytes, _ question: Question) throws(KeyringError) {
        do throws(KeyringError) {
            // Nobody is asked whose token it was.
            var silent = self
            silent.global.noInput = true
            guard let given = try silent.token(question, from: tokenSource()), given.answer.secret.isEqual(to: secret),
                given.answer.found.origin != .provider
            else { return }
            _ = try given.replacement()
        } catch  where error.code == .ambiguous {
            // Nobody knows whose it was.
        }
    }

    /// The same for whoever wants a token, which may have to be got.
    func keyringForToken() throws(KeyringError) -> Keyring {
        try keyring(reaching: refresh.offline ? .files() : .network)
    }

    /// The same, or an agent where nothing at hand opens the keyring.
    func tokenSource() throws(KeyringError) -> TokenSource {
        try unattended.tokenSource(
            reaching: refresh.offline ? .files() : .network, asksAgent: !refresh.offline)
    }

    /// Tells what the owner should know of a keyring that is open.
    func tellWarnings(of source: TokenSource) {
        if let keyring = source.keyring { global.tellWarnings(of: keyring) }
    }

    /// Tells which sign-in adds the scopes that a token lacks for what the tool does with it.
    func tellMissingScopes(of found: Keyring.FoundToken, for purpose: SignInPurpose) {
        let credential = found.credential
        guard !credential.mayServe(purpose), let wanted = purpose.scopes(at: credential.account.environment) else {
            return
        }
        let missing = wanted.scopes.filter { !ScopeSet([$0]).isSubset(of: credential.scopes) }
        let name = ShellWord.inMessage(found.account.name)
        global.say(
            "keyfob: warning: the token of \(found.account.name) lacks the scope '\(missing.joined(separator: " "))', which "
                + "\(credential.account.environment) wants for \(purpose.rawValue); 'keyfob login --account \(name) --for "
                + "\(purpose.rawValue)' adds it")
    }

    /// The token that answers a question; nil where no account is meant, so that the tool goes on.
    func token(_ question: Question, from source: TokenSource) throws(KeyringError) -> ToolToken? {
        do throws(KeyringError) {
            return try untranslatedToken(question, from: source)
        } catch {
            if isNothing(error, question) { return nil }
            throw ToolAccountChoice.inTermsOfTool(error, question, try request(question))
        }
    }

    /// The token of whoever is meant; errors name what the tool's user can type.
    func requiredToken(_ question: Question, from source: TokenSource) throws(KeyringError) -> ToolToken {
        do throws(KeyringError) {
            return try untranslatedToken(question, from: source)
        } catch {
            throw ToolAccountChoice.inTermsOfTool(error, question, try request(question))
        }
    }

    private func untranslatedToken(_ question: Question, from source: TokenSource) throws(KeyringError) -> ToolToken {
        switch source {
        case .keyring(let keyring): try token(question, from: keyring)
        case .agent(let agent, let reason, let location): try token(question, from: agent, for: reason, location)
        }
    }

    private func token(_ question: Question, from keyring: Keyring) throws(KeyringError) -> ToolToken {
        do throws(KeyringError) {
            return try token(question, of: keyring, global: unattended)
        } catch {
            guard let choice = ToolAccountChoice(of: error, question, try request(question), keyring, global) else {
                throw error
            }
            return try chosen(choice, question, of: keyring)
        }
    }

    /// The token that an agent gives, whose vault is shut here.
    ///
    /// - Parameter reason: Why that is.
    private func token(
        _ question: Question, from agent: AskedAgent, for reason: KeyringError, _ location: KeyringLocation?
    ) throws(KeyringError) -> ToolToken {
        var request = try request(question)
        let groups = try global.groups()
        do throws(KeyringError) {
            return try given(by: agent, question, request, groups)
        } catch {
            if error.code == .locked, !agent.isNamed { throw reason }
            guard let choice = ToolAccountChoice(ofAgents: error, question, request, global) else { throw error }
            request.account = try chosen(choice, question, request, by: agent, groups, location)
        }
        let token = try given(by: agent, question, request, groups)
        let command = choice(question, request, token)
        global.say("keyfob: this choice is not remembered, as the vault is locked; '\(command)' remembers it")
        return token
    }

    /// The command that binds what was chosen.
    private func choice(
        _ question: Question, _ request: TokenRequest, _ token: borrowing ToolToken
    ) -> String {
        ToolAccountChoice.command(
            question, ToolAccountChoice.subject(question, request), token.answer.found.account.id.description,
            token.answer.found.group)
    }

    private func given(
        by agent: AskedAgent, _ question: Question, _ request: TokenRequest, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> ToolToken {
        // What a socket was made for is what is to be taken from it.
        let attendance = PersonToAsk.now(global, isForGit: question.tool == ToolCall.git.tool)
        let answer = try agent.token(
            request, in: groups, refresh.options, takesChosenAlone: !agent.isNamed, mayAsk: attendance != .nobody,
            waiting: {
                guard attendance == .terminal else { return }
                let time = "\(AskedAgent.minutes) minutes at most"
                Terminal()?.show("keyfob: \(question.tool) waits for the agent, which may ask in a window, \(time)\n")
            })
        try answer.requirePrintable()
        return ToolToken(answer: answer, giver: .agent(agent, request, groups))
    }

    /// The account that a person chooses among those of which an agent may give tokens.
    ///
    /// - Throws: `ambiguous` where nobody can be asked, with the command that decides it, and `cancelled`.
    private func chosen(
        _ choice: ToolAccountChoice, _ question: Question, _ request: TokenRequest, by agent: AskedAgent,
        _ groups: [AccessGroup]?, _ location: KeyringLocation?
    ) throws(KeyringError) -> String {
        guard case .terminal = PersonToAsk.now(global, isForGit: question.tool == ToolCall.git.tool) else {
            throw choice.error
        }
        let ids = choice.error.candidates
        let known = (try? agent.accounts(in: groups)) ?? []
        let items = ids.map { id in PickerItem(of: id, among: known) }
        do throws(KeyringError) {
            let turn = try TerminalTurn.take(location?.runtime, question.tool)
            guard Terminal.isFree else { throw choice.error }
            let picked = try global.pick(
                items, "for \(question.url.address)", remembering: nil, asking: question.tool)
            _ = consume turn
            return ids[picked.index]
        } catch {
            throw error.code == .cancelled ? error.saying(advice: choice.error.advice) : error
        }
    }

    /// The token of an open keyring.
    private func token(
        _ question: Question, of keyring: Keyring, global: GlobalOptions, asking choice: ToolAccountChoice? = nil
    ) throws(KeyringError) -> ToolToken {
        var acquisition = AttendedAcquisition(
            keyring: keyring, options: options(question), refresh: refresh, networkOptions: networkOptions,
            global: global)
        acquisition.subject = choice?.subject
        acquisition.tool = question.tool
        let answer = try acquisition.token()
        acquisition.rememberPicked()
        try answer.requirePrintable()
        return ToolToken(answer: answer, giver: .keyring(acquisition))
    }

    /// The token of the account that a person chooses, at the terminal or in an agent's window.
    ///
    /// - Throws: `ambiguous` where nobody can be asked, with the command that decides it, and `cancelled`.
    private func chosen(
        _ choice: ToolAccountChoice, _ question: Question, of keyring: Keyring
    ) throws(KeyringError) -> ToolToken {
        switch PersonToAsk.now(global, isForGit: question.tool == ToolCall.git.tool) {
        case .terminal:
            do throws(KeyringError) {
                // One after the other is asked: what is chosen may do for the next.
                let turn = try TerminalTurn.take(keyring.location.runtime, question.tool)
                var asking = global
                asking.noInput = !Terminal.isFree
                let token = try token(question, of: keyring, global: asking, asking: choice)
                _ = consume turn
                return token
            } catch {
                if error.code == .cancelled { throw error.saying(advice: choice.error.advice) }
                throw error.code == .ambiguous ? choice.error : error
            }
        case .desktop:
            do throws(KeyringError) {
                return try tokenByWindow(question, of: keyring)
            } catch {
                throw Self.nobodyThere.contains(error.code) ? choice.error : error
            }
        case .nobody: throw choice.error
        }
    }

    /// How an agent says that it asks nobody, or that nobody lets it give a token, which the keyring may give all the same.
    private static let nobodyThere: Set<KeyringError.Code> = [.ambiguous, .unavailable, .locked, .notPermitted]

    /// The token that an agent gives, which asks by a window whose this program may have, and remembers that.
    private func tokenByWindow(_ question: Question, of keyring: Keyring) throws(KeyringError) -> ToolToken {
        let agent = try AskedAgent(
            of: keyring.location, Environment.current.variables, showsItself: { ProcessHardening.show($0) })
        guard let agent else { throw KeyringError(.unavailable, "no agent listens") }
        return try given(by: agent, question, try request(question), try global.groups())
    }

    /// Sees to it that a token which the tool's server has refused is not handed out again.
    func refused(_ token: borrowing SecretBytes, _ question: Question, in keyring: Keyring) throws(KeyringError) {
        do {
            switch try keyring.tokens.refused(token, for: request(question), in: try global.groups()) {
            case .unknown, .replaced: return
            case .kept(let account):
                global.say(
                    "keyfob: warning: \(question.url.address.host) has refused the token of \(account.name), which "
                        + "nothing renews; store another with 'keyfob add', or sign in with 'keyfob login'")
            }
        } catch {
            guard error.code == .ambiguous || isNothing(error, question) else { throw error }
        }
    }

    /// The request that a question makes.
    func request(
        _ question: Question, _ environment: Environment = .current
    ) throws(KeyringError) -> TokenRequest {
        try options(question).request(environment)
    }

    private var unattended: GlobalOptions {
        var global = global
        global.noInput = true
        return global
    }

    private func options(_ question: Question) -> RequestOptions {
        var options = request
        (options.tool, options.url) = (question.tool, question.url.text)
        if question.tool == ToolCall.git.tool { options.gitFolder = Environment.current["GIT_DIR"] }
        if let account = question.account {
            options.account = account
        } else {
            options.login = question.login
        }
        return options
    }

    /// Whether an error says no more than that there is nothing to give.
    private func isNothing(_ error: KeyringError, _ question: Question) -> Bool {
        switch (error.code, error.advice) {
        case (.hostNotAllowed, _): true
        case (.noSuchAccount, .told(let code, _)?) where ToolAccountChoice.codesOfMissing.contains(code): false
        // What is meant and not there is told: a binding that is broken, an account that was removed, one that the owner names.
        case (.noSuchAccount, .rebind?), (.noSuchAccount, .nameAccountOrUnbind?), (.noSuchAccount, .forgetAccount?),
            (.noSuchAccount, .undoRemoval?):
            false
        case (.noSuchAccount, .listAccounts?), (.noSuchAccount, .told("listAccounts", _)?):
            request.account == nil && (question.login != nil || Environment.current["KEYFOB_ACCOUNT"] == nil)
        case (.noSuchAccount, _): true
        default: false
        }
    }
}

/// A token for another tool.
struct ToolToken: ~Copyable {
    let answer: Keyring.TokenAnswer
    fileprivate let giver: Giver

    /// Who gave it, and gives another.
    fileprivate enum Giver {
        case keyring(AttendedAcquisition)
        case agent(AskedAgent, TokenRequest, [AccessGroup]?)
    }

    /// Another token in its place, which the provider issues.
    func replacement() throws(KeyringError) -> ToolToken {
        switch giver {
        case .keyring(let acquisition):
            return ToolToken(answer: try acquisition.replacement(for: answer.found), giver: giver)
        case .agent(let agent, var request, let groups):
            request.account = answer.found.account.id.description
            request.keepTenant(of: answer.found)
            let other = try agent.token(request, in: groups, SilentOptions(forcesRefresh: true))
            try other.requirePrintable()
            return ToolToken(answer: other, giver: giver)
        }
    }

    /// Notes that it was handed out, and remembers whose it was, once it is on its way; an agent does both for its own.
    func remember() {
        guard case .keyring(let acquisition) = giver else { return }
        acquisition.noteUse(answer.found)
        acquisition.remember(answer.found)
    }
}
