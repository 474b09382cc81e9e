internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign an account out.",
        discussion: """
            Revokes the refresh token at the provider, removes the tokens, and marks the account signed out. What \
            the provider could not be told is said; here the account is signed out in any case. Copies of an account of \
            Microsoft's that MSAL's runtime keeps in the Secret Service go too.

            Example:
              keyfob logout ada@contoso.example
              keyfob logout ada@contoso.example --everywhere --browser
              keyfob logout ada@contoso.example --forget
            """)

    @Argument(help: "The account: id, user name, label, or the beginning of one; the only one unless given.")
    var account: String?
    @Option(name: .long, help: ArgumentHelp("The client to sign out of.", valueName: "id")) var client: String?
    @Flag(name: .long, help: "Sign out of all clients in the group.") var everywhere = false
    @Flag(name: .long, help: "Sign out of all clients, and remove the account.") var forget = false
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
        if let client, !Identifier.isAcceptable(client) {
            throw ValidationError("--client is blank or holds control characters")
        }
    }

    func run() throws {
        let network = offline ? nil : try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .everything)
        defer { global.tellWarnings(of: keyring) }
        let candidate = try chosen(keyring)
        let reach: SignOutReach = forget ? .forget : everywhere ? .everywhere : .client
        let (id, group, client, browser) = (candidate.account.id, candidate.group, client, browser)
        let report = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.accounts.signOut(
                id, clientID: client, reach: reach, from: group, endsBrowserSession: browser, network: network)
        }
        do throws(KeyringError) {
            try RuntimeCopies.remove(of: id, clientIDs: report.clients, global.secretService(mayAsk: false))
        } catch {
            global.say(
                "keyfob: warning: tokens that MSAL's runtime may keep in the Secret Service were not deleted: \(error.message)"
            )
        }
        for note in report.notes { global.say("keyfob: warning: \(note.text)") }
        let name = keyring.accounts.shownName(of: report.account)
        if global.json {
            try JSONOutput.print(SignOutDocument(report, group))
        } else if report.clients.isEmpty, !forget {
            let elsewhere = keyring.sync.isSetUp ? "; where it is, 'keyfob logout' there signs it out" : ""
            global.say("\(name) was not signed in here (group \(group))\(elsewhere)")
        } else {
            global.say("\(name) is signed out\(forget ? " and removed" : "") (group \(group))")
        }
        guard let url = report.endSessionURL else { return }
        if noBrowser || !opens(url, keyring) { try StandardOutput.write(line: url) }
    }

    /// Leads the browser to the address by a page that only the person can read, which goes when it has been read.
    ///
    /// - Returns: Whether it was read in time.
    private func opens(_ url: String, _ keyring: Keyring) -> Bool {
        do throws(KeyringError) {
            let page = try BrowserPage(leadingTo: url, at: keyring.location, home: Browser.homeOfSnaps())
            let address = page.url
            return page.isRead(by: { Browser.open(address) }, within: 10)
        } catch {
            StandardError.write(line: "keyfob: warning: no page for the browser can be made: \(error.message)")
            return false
        }
    }

    private func chosen(_ keyring: Keyring) throws(KeyringError) -> Candidate {
        let groups = try global.groups()
        if let account { return try keyring.accounts.named(account, in: groups) }
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

/// `Schemas/sign-out.schema.json`.
struct SignOutDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let group: String
    let clients: [String]
    let revoked: Int
    let notes: [String]
    let endSessionURL: String?

    init(_ report: SignOutReport, _ group: AccessGroup) {
        account = report.account.id.description
        self.group = group.name
        clients = report.clients
        revoked = report.revoked
        notes = report.notes.map(\.text)
        endSessionURL = report.endSessionURL
    }
}
