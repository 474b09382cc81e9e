internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal

/// Which client to sign in with, asked of a person where none of the provider is known.
enum ClientQuestion {
    /// Adds the client that the person chooses; does nothing where there is one, and where nobody is there to ask.
    ///
    /// - Throws: `cancelled` where nothing is chosen, and as adding a client.
    static func settle(
        _ request: SignInRequest, _ keyring: Keyring, _ groups: [AccessGroup]?, _ global: GlobalOptions
    ) throws(KeyringError) {
        guard request.clientID == nil, !global.noInput, !global.json,
            try keyring.clients.list(of: request.provider, in: groups).isEmpty, let terminal = Terminal()
        else { return }
        let provider = try keyring.providers.named(request.provider, in: groups)
        let known = WellKnownClient.at(provider.environment)
        let page = RegistrationPage.of(provider.environment)
        show(provider, known, page)
        let answer = try terminal.ask(
            known.isEmpty ? "Your client id: " : "The number of a program, or your own client id: ")
        guard !answer.isEmpty else {
            throw KeyringError(
                .cancelled, "nothing was chosen, and nobody is signed in", advice: .addClient(provider: provider.name))
        }
        // Most likely a command that was typed ahead.
        guard !answer.contains(where: \.isWhitespace) else {
            throw KeyringError(
                .usage, "a client id has no spaces; nobody is signed in", advice: .addClient(provider: provider.name))
        }
        let added: RegisteredClient
        if let number = Int(answer), known.indices.contains(number - 1) {
            let client = known[number - 1]
            added = try keyring.clients.add(client.registration, at: provider.name, in: groups)
        } else if page?.givesSecret == true {
            let secret = try terminal.askSecret("Its client secret: ")
            let client = ClientRegistration(id: answer, authentication: .post)
            added = try keyring.clients.add(client, secret: secret, at: provider.name, in: groups)
        } else {
            added = try keyring.clients.add(ClientRegistration(id: answer), at: provider.name, in: groups)
        }
        global.say("added client '\(added.client.id)' for \(provider.name); it is the default")
    }

    private static func show(
        _ provider: IdentityProvider, _ known: [WellKnownClient], _ page: RegistrationPage?
    ) {
        StandardError.write(
            line: "\(provider.title) knows programs by client ids, and Keyfob has none for it yet.")
        if !known.isEmpty {
            StandardError.write(
                line: "Sign in as one of these programs, whose name \(provider.title) will then show:")
            var table = Table(header: [], columns: StandardError.columns)
            for (index, client) in known.enumerated() {
                table.add(["  \(index + 1)", client.title, "of \(client.publisher)"])
            }
            StandardError.write(lines: table.text)
        }
        if let page {
            StandardError.write(line: "\(known.isEmpty ? "Get one" : "Or get an id of your own") at \(page.url)")
            for step in page.steps { StandardError.write(line: "  - \(step)") }
        }
    }
}
