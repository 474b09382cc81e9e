internal import ArgumentParser
internal import Keyfob
internal import KeyfobSignIn
internal import KeyfobTerminal

struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign an account out.",
        discussion: """
            Revokes the refresh token at the provider, removes the tokens, and marks the account signed out. It says \
            which tokens the provider still takes, until when, and where they can be revoked. Copies of an account of \
            Microsoft's that MSAL's runtime keeps in the Secret Service go too.

            What was removed stays in the vault for 30 days, and 'keyfob undo' brings it back, except a sign-in that \
            the provider has revoked. --forever keeps nothing, and removes what earlier commands kept of the account: \
            then 'keyfob undo' does not undo this, and the vault has no copy of the tokens. Backups that were made before may have them.

            No sign-in brings back a token that was added by hand: on a terminal you are asked first.

            Example:
              keyfob logout ada@contoso.example
              keyfob logout ada@contoso.example --everywhere --browser
              keyfob logout ada@contoso.example --forget
              keyfob logout --all
            """)

    @Argument(help: "The account: id, user name, label, or the beginning of one; the only one unless given.")
    var account: String?
    @Flag(name: .long, help: "Sign all accounts out, or those of --group, each of all its clients.") var all = false
    @Option(name: .long, help: ArgumentHelp("The client to sign out of.", valueName: "id")) var client: String?
    @Flag(name: .long, help: "Sign out of all clients in the group.") var everywhere = false
    @Flag(name: .long, help: "Sign out of all clients, and remove the account.") var forget = false
    @Flag(name: .long, help: "Keep nothing for 'keyfob undo': the tokens leave the vault for good.") var forever = false
    @OptionGroup var consent: ConsentOptions
    @Flag(name: .long, help: "End the browser's session too.") var browser = false
    @Flag(name: .long, help: "Open no browser; print the address.") var noBrowser = false
    @Flag(name: .long, help: "Tell the provider nothing.") var offline = false
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if client != nil, everywhere || forget {
            throw ValidationError("--client goes with neither --everywhere nor --forget, which are for all clients")
        }
        if offline, browser { throw ValidationError("--offline and --browser exclude one another") }
        if all, account != nil || client != nil || browser {
            throw ValidationError("--all goes with neither an account, --client nor --browser")
        }
        if let client, !Identifier.isAcceptable(client) {
            throw ValidationError("--client is blank or holds control characters")
        }
    }

    private var reach: SignOutReach { forget ? .forget : everywhere || all ? .everywhere : .client }

    func run() throws {
        let network = offline ? nil : try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .everything)
        defer { global.tellWarnings(of: keyring) }
        let policy: UndoPolicy =
            forever ? .erase : .keep(keyring.undo.command(all ? "logout --all" : forget ? "logout --forget" : "logout"))
        if all { return try signAllOut(keyring, policy, network) }
        let candidate = try chosen(keyring)
        try confirm(candidate, keyring)
        let report = try signOut(candidate, keyring, policy, network)
        let text = SignOutText(report, candidate.group, forget: forget, isErased: forever, keyring)
        if global.json {
            text.warn(global)
            try JSONOutput.print(SignOutDocument(report, candidate.group))
        } else {
            text.tell(global)
        }
        guard let url = report.endSessionURL else { return }
        if noBrowser || !opens(url, keyring) { try StandardOutput.write(line: url) }
    }

    private func signOut(
        _ candidate: Candidate, _ keyring: Keyring, _ policy: UndoPolicy, _ network: Network?
    ) throws(KeyringError) -> SignOutReport {
        let (id, group, client, reach, browser) = (candidate.account.id, candidate.group, client, reach, browser)
        let report = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.accounts.signOut(
                id, clientID: client, reach: reach, from: group, endsBrowserSession: browser, undo: policy,
                network: network)
        }
        do throws(KeyringError) {
            try RuntimeCopies.remove(of: id, clientIDs: report.clients, global.secretService(mayAsk: false))
        } catch {
            global.say(
                "keyfob: warning: tokens that MSAL's runtime may keep in the Secret Service were not deleted: \(error.message)"
            )
        }
        return report
    }

    /// Asks before the only copy of a token goes, where there is somebody to ask.
    private func confirm(_ candidate: Candidate, _ keyring: Keyring) throws(KeyringError) {
        guard !consent.isGiven, !global.noInput else { return }
        let last = try keyring.accounts.lastCopies(
            of: candidate.account.id, clientID: client, reach: reach, in: candidate.group)
        guard !last.isEmpty, let terminal = Terminal() else { return }
        let (name, isOne) = (keyring.accounts.shownName(of: candidate.account), last.count == 1)
        let words = isOne ? "a token" : "\(last.count) tokens"
        let it = isOne ? "it" : "them"
        let way = forever ? "nothing brings \(it) back" : "'keyfob undo' can bring \(it) back for 30 days"
        StandardError.write(line: "\(name) has \(words) that no sign-in can get again; \(way)")
        guard try Confirmation.agrees("Sign \(name) out? [y/N] ", terminal) else { throw Confirmation.cancelled }
    }

    /// Leads the browser to the address by a page that only the person can read, which goes when it has been read.
    ///
    /// - Returns: Whether it was read in time.
    private func opens(_ url: String, _ keyring: Keyring) -> Bool {
        do throws(KeyringError) {
            let page = try BrowserPage(
                leadingTo: url, at: keyring.location, home: Browser.homeOfSnaps(Environment.current.variables))
            let address = page.url
            return page.isRead(by: { Browser.open(address) }, within: 10)
        } catch {
            StandardError.write(line: "keyfob: warning: no page for the browser can be made: \(error.message)")
            return false
        }
    }

    private func chosen(_ keyring: Keyring) throws(KeyringError) -> Candidate {
        let groups = try global.groups()
        if let account { return try keyring.accounts.named(account, in: groups, suggestsNear: false) }
        let all = try keyring.accounts.list(in: groups)
        guard let only = all.first else {
            throw KeyringError(.noSuchAccount, "there is no account to sign out", advice: .importAccounts)
        }
        guard all.count == 1 else {
            throw KeyringError(several: all, "there are") { .useAccountID(such: $0, group: $1) }
        }
        return only
    }
}

extension LogoutCommand {
    /// Signs all accounts out that have something to sign out of, one after the other.
    private func signAllOut(_ keyring: Keyring, _ policy: UndoPolicy, _ network: Network?) throws {
        let groups = try global.groups()
        let listed = AccountListCommand.sorted(try keyring.accounts.list(in: groups))
        let candidates = try listed.filter { candidate in
            try forget || forever || Self.holdsTokens(candidate, keyring)
        }
        guard !candidates.isEmpty || forever else {
            throw KeyringError(.noSuchAccount, "there is no account to sign out", hint: nil)
        }
        try confirmAll(candidates)
        var (reports, failures): ([SignOutDocument], [SignOutAllDocument.Failure]) = ([], [])
        var first: KeyringError?
        for candidate in candidates {
            do throws(KeyringError) {
                let report = try signOut(candidate, keyring, policy, network)
                reports.append(SignOutDocument(report, candidate.group))
                let text = SignOutText(report, candidate.group, forget: forget, isErased: forever, keyring)
                if global.json { text.warn(global) } else { text.tell(global, isOneOfMany: true) }
            } catch {
                first = first ?? error
                failures.append(SignOutAllDocument.Failure(candidate, error))
                let name = "\(candidate.account.name) (group \(candidate.group))"
                StandardError.write(line: "keyfob: \(name): \(error.message)")
            }
        }
        // What was removed before is not behind either.
        if forever { _ = try keyring.undo.clear(in: groups) }
        if global.json {
            try JSONOutput.print(SignOutAllDocument(accounts: reports, failures: failures))
        } else {
            global.say("signed out of \(Quantity.of(reports.count, "account"))")
            if forever, !reports.isEmpty { SignOutText.tellErased(global) }
            if let undo = reports.compactMap(\.undo).first { UndoText.offer(undo.id, undo.end, global) }
        }
        if let first { throw ReportedFailure(status: ExitStatus(first.code)) }
    }

    /// Whether there is something to sign an account out of.
    static func holdsTokens(_ candidate: Candidate, _ keyring: Keyring) throws(KeyringError) -> Bool {
        guard candidate.state != .noCredentials else { return false }
        return try keyring.accounts.credentials(of: candidate.account.id, in: candidate.group)
            .contains { $0.kind != .refreshToken || ($0.grant ?? Grant()).state != .signedOut }
    }

    private func confirmAll(_ candidates: [Candidate]) throws(KeyringError) {
        guard !consent.isGiven else { return }
        try Confirmation.requireConsent(
            "Sign out of \(Quantity.of(candidates.count, "account"))\(forever ? " for good" : "")? [y/N] ",
            to: candidates.map { "to be signed out: \($0.account.name) (group \($0.group))" },
            "this signs out of \(Quantity.of(candidates.count, "account"))",
            otherwise: "--force does it without asking", global)
    }
}
