@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault
import Testing

/// Nobody gets another's token because an account of a keyring is missing: vaults, requests and losses made at random.
@Suite("An account of a keyring that is lost")
struct LostAccountKeyringTests {
    enum Loss: CaseIterable {
        case signOut, expiry, removal, signOutAndRemoval, move
    }

    /// Whom a request means.
    private func meant(
        _ keyring: Keyring, _ request: TokenRequest, _ names: [AccessGroup]?
    ) throws -> (candidate: Candidate, reason: Verdict.Reason)? {
        try keyring.withState { state in
            defer { state.warnings = [] }
            do {
                return try keyring.search.choose(&state, request, state.groups(names), noon)
            } catch LookupRefusal.unselected {
                return nil
            }
        }
    }

    private func lose(_ lost: Candidate, _ loss: Loss, in vault: RandomVault) async throws {
        let (id, accounts) = (lost.account.id, vault.owner.accounts)
        switch loss {
        case .signOut:
            _ = try await accounts.signOut(id, reach: .everywhere, from: lost.group, undo: .none, network: nil)
        case .removal: _ = try accounts.removeForGood(id, from: lost.group)
        case .signOutAndRemoval:
            _ = try await accounts.signOut(id, reach: .forget, from: lost.group, undo: .none, network: nil)
        case .move:
            let other = lost.group == vault.tools ? AccessGroup.default : vault.tools
            _ = try? accounts.move(id, from: lost.group, to: other, patience: .zero)
        case .expiry:
            try vault.owner.withState { state in
                try vault.owner.change(&state, try state.group(lost.group)) { writer in
                    for key in try writer.grantKeys(of: id) {
                        try writer.endGrant(key, as: .needsSignIn(reason: "it expired"))
                    }
                }
            }
        }
    }

    @Test(
        "whoever is meant and signs out, expires or goes leaves nobody's token in that place",
        arguments: 1...TestLength.rounds(24, full: 240))
    func lost(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(
            &random, RandomVault.environments, RandomVault.scopes, RandomVault.subjects)
        for _ in 0..<40 {
            let request = RandomVault.request(&random)
            let names = [nil, [AccessGroup.default], [vault.tools]].randomElement(using: &random) ?? nil
            guard let (before, reason) = try meant(vault.owner, request, names),
                let loss = Loss.allCases.randomElement(using: &random)
            else { continue }
            try await lose(before, loss, in: vault)
            if let after = try meant(vault.owner, request, names) {
                #expect(
                    after.candidate.account.id == before.account.id,
                    "\(loss) of \(before.account.id) in \(before.group), chosen as '\(reason)': \(request)")
            }
            guard let answer = try? vault.owner.tokens.stored(for: request, in: names) else { continue }
            #expect(answer.found.account.id == before.account.id, "\(loss) of \(before.account.id): \(request)")
        }
    }

    @Test("what is refused says who is meant, and what to do")
    func refusals() async throws {
        let home = try KeyringHome()
        let keyring = home.keyring
        func account(_ name: String) throws -> Account {
            Account(id: try #require(AccountID(homeAccountID: name, environment: "github.com")), username: name)
        }
        let (ada, other) = (try account("Ąda"), try account("ada-contoso"))
        for account in [ada, other] {
            try keyring.store(
                .access(account, scopes: ["repo"], client: Credential.noClient, realm: ""), account.username,
                for: account)
        }
        func request(_ path: String) throws -> TokenRequest {
            TokenRequest(context: RequestContext(url: try ResourceURL(parsing: "https://github.com/\(path)")))
        }
        let (notes, contoso) = (try request("ąda/notes"), try request("Contoso/app"))
        try keyring.bindings.set(
            .address(try ResourceURL(parsing: "github.com/contoso")), to: .account(ada.id), in: .default)
        #expect(try keyring.tokenText(notes) == "Ąda" && keyring.tokenText(contoso) == "Ąda")
        #expect(try keyring.tokenText(TokenRequest(account: "ĄDA")) == "Ąda")

        func refusal(_ request: TokenRequest) -> KeyringError? {
            failure(of: KeyringError.self) { _ = try keyring.tokens.stored(for: request) }
        }
        _ = try await keyring.accounts.signOut(ada.id, reach: .everywhere, from: .default, undo: .none, network: nil)
        var error = try #require(refusal(notes))
        #expect(error.code == .signInNeeded && error.candidates == [ada.id.description])
        #expect(error.message.contains("Ąda@github.com is signed out"), "\(error)")
        #expect(error.advice == .storeTokenOf("Ąda@github.com"))
        error = try #require(refusal(contoso))
        #expect(error.code == .signInNeeded && error.message.contains("url github.com/contoso") == false)
        #expect(
            error.message.hasPrefix("Ąda@github.com is signed out, and ")
                && error.message.contains("github.com/contoso is bound to it"), "\(error)")
        // Of what nothing means it for, the other one is there.
        #expect(try keyring.tokenText(try request("somebody/app")) == "ada-contoso")

        _ = try keyring.accounts.removeForGood(ada.id, from: .default)
        error = try #require(refusal(notes))
        #expect(error.code == .noSuchAccount && error.advice == .forgetAccount("Ąda@github.com", .default), "\(error)")
        error = try #require(refusal(contoso))
        guard case .rebind(let binding)? = error.advice else {
            Issue.record("\(error)")
            return
        }
        #expect(binding.subject.text == "github.com/contoso")
        #expect(refusal(TokenRequest(account: "ąda"))?.advice == .forgetAccount("Ąda@github.com", .default))
        #expect(failure(of: KeyringError.self) { _ = try keyring.accounts.named("ąda") }?.code == .noSuchAccount)
        _ = try keyring.accounts.removeForGood(ada.id, from: .default, unbinds: true)
        #expect(try keyring.tokenText(notes) == "ada-contoso" && keyring.tokenText(contoso) == "ada-contoso")
    }

    @Test("an account takes along what the owner has bound to it, and leaves its group's default behind")
    func moving() throws {
        let home = try KeyringHome()
        let (keyring, work) = (home.keyring, try AccessGroup("work"))
        try keyring.groups.create(work)
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        for account in [ada, bob] { try keyring.store(.access(account), account.username, for: account) }
        try keyring.bindings.set(.tool("mutt"), to: .account(ada.id), in: .default)
        try keyring.accounts.setDefault(ada.id, in: .default)
        _ = try keyring.accounts.move(ada.id, from: .default, to: work)
        #expect(try keyring.bindings.list().map(\.origin.group) == [work])
        let mutt = TokenRequest(context: RequestContext(tool: "mutt"))
        #expect(try keyring.tokenText(mutt) == ada.username)
        #expect(keyring.refusal(TokenRequest(), in: [.default]) == .noSuchAccount)
        #expect(keyring.refusal(TokenRequest(account: "ada"), in: [.default]) == .noSuchAccount)
        _ = try keyring.accounts.move(ada.id, from: work, to: .default)
        #expect(try keyring.tokenText(TokenRequest(), in: [.default]) == ada.username)
        #expect(try keyring.accounts.former(in: [.default]).isEmpty)
    }
}
