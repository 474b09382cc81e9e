@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault
import Testing

/// A vault that random decisions made.
struct RandomVault {
    static let environments = ["login.microsoftonline.com", "accounts.google.com", "github.com", "idp.example"]
    static let scopes: [ScopeSet] = [["mail.read"], ["mail.read", "mail.send"], ["repo"], []]
    private static let contexts = [
        RequestContext(), RequestContext(directory: "/srv/a/b"), RequestContext(tool: "gh", directory: "/srv"),
        RequestContext(directory: "/srv/a", remote: ResourceURL(host: "github.com", path: ["contoso", "app"])),
        RequestContext(url: ResourceURL(host: "api.github.com")),
        RequestContext(url: ResourceURL(host: "git.example", path: ["contoso"])),
        RequestContext(url: ResourceURL(host: "graph.microsoft.com"), directory: "/srv/a"),
        RequestContext(url: ResourceURL(host: "github.com", path: ["lab", "app"]), tool: "git"),
        RequestContext(url: ResourceURL(host: "github.com"), remote: ResourceURL(host: "github.com", path: ["lab"])),
        RequestContext(committer: MailAddress("person1@contoso.example")),
        RequestContext(committer: MailAddress("person3@fabrikam.example")),
        RequestContext(committer: MailAddress("nobody@contoso.example")),
        RequestContext(committer: MailAddress("nobody@fabrikam.example")),
        RequestContext(
            tool: "gh", remote: ResourceURL(host: "idp.example", path: ["lab"]),
            committer: MailAddress("person2@contoso.example")),
        RequestContext(
            url: ResourceURL(host: "idp.example", path: ["lab"]), committer: MailAddress("nobody@fabrikam.example")),
    ]
    static let subjects: [Binding.Subject] = [
        .directory("/srv"), .directory("/srv/a"), .directory("/srv/a/b"), .tool("gh"), .host("github.com"),
        .host("git.example"), .url(ResourceURL(host: "git.example", path: ["contoso"])),
        .url(ResourceURL(host: "github.com", path: ["contoso"])),
    ]

    let home: KeyringHome
    let owner: Keyring
    let tools: AccessGroup

    init(
        _ random: inout SeededGenerator, _ environments: [String], _ scopes: [ScopeSet], _ subjects: [Binding.Subject]
    ) throws {
        home = try KeyringHome()
        owner = home.keyring
        tools = try home.sharedGroup("tools")
        let adversary = try home.opened(keyFile: 2)
        var accounts: [AccessGroup: [Account]] = [:]
        for group in [AccessGroup.default, tools] {
            var own: [Account] = []
            for number in 1...Int.random(in: 1...28, using: &random) {
                let environment = environments.randomElement(using: &random) ?? environments[0]
                let id = try #require(
                    AccountID(
                        homeAccountID: "uid\(Int.random(in: 1...40, using: &random)).contoso", environment: environment)
                )
                guard !own.contains(where: { $0.id == id }) else { continue }
                let label = Int.random(in: 0..<5, using: &random) == 0 ? "lab" : nil
                let domain = Int.random(in: 0..<5, using: &random) == 0 ? "fabrikam" : "contoso"
                own.append(
                    Account(
                        id: id, username: "person\(number)@\(domain).example",
                        label: own.contains { $0.label == label } ? nil : label))
            }
            accounts[group] = own
            let states: [Grant.State?] = own.map { _ in
                [.active, .active, .signedOut, .needsSignIn(reason: "it expired"), nil].randomElement(using: &random)
                    ?? nil
            }
            let tokens = own.map { _ in
                (0..<Int.random(in: 0...2, using: &random)).map { _ in scopes.randomElement(using: &random) ?? [] }
            }
            let granted = own.map { _ in scopes.randomElement(using: &random) ?? [] }
            try owner.withState { state in
                try owner.change(&state, try state.group(group)) { writer in
                    for (index, account) in own.enumerated() {
                        _ = try writer.save(account, from: .owner)
                        for (number, scopes) in tokens[index].enumerated() {
                            let token = Credential.access(
                                account, scopes: scopes, client: number == 0 ? "mailer" : "other")
                            _ = try writer.save(token, secret: secret("token"), from: .owner)
                        }
                        guard let grant = states[index] else { continue }
                        var credential = Credential.refresh(account)
                        (credential.scopes, credential.grant) = (granted[index], Grant(state: grant))
                        _ = try writer.save(credential, secret: secret("refresh"), from: .owner)
                    }
                }
            }
        }
        for keyring in [owner, adversary] {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let group = keyring === adversary || Bool.random(using: &random) ? tools : .default
                guard let subject = subjects.randomElement(using: &random),
                    let account = accounts[group]?.randomElement(using: &random)
                else { continue }
                let isNobody = Int.random(in: 0..<5, using: &random) == 0
                _ = try? keyring.bindings.set(subject, to: isNobody ? .nobody : .account(account.id), in: group)
            }
            let group = keyring === adversary || Bool.random(using: &random) ? tools : .default
            if Bool.random(using: &random), let account = accounts[group]?.randomElement(using: &random) {
                try keyring.accounts.setDefault(account.id, in: group)
            }
        }
        guard Int.random(in: 0..<3, using: &random) > 0 else { return }
        for group in [AccessGroup.default, tools] {
            let used = accounts[group]?.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)) ?? []
            let contexts = [RequestContext(), RequestContext(directory: "/srv/a/b"), RequestContext(tool: "gh")]
            for hour in (1...Int.random(in: 1...20, using: &random)).reversed() {
                guard let context = contexts.randomElement(using: &random),
                    let account = used.randomElement(using: &random)
                else { continue }
                try home.opened(at: noon.advanced(by: Int64(hour) * -7_200)).accounts.remember(
                    account.id, in: group, for: TokenRequest(context: context), by: .person)
            }
            guard Int.random(in: 0..<4, using: &random) == 0, let gone = used.first else { continue }
            _ = try owner.accounts.removeForGood(gone.id, from: group)
        }
    }

    /// A request for somebody, somewhere.
    static func request(_ random: inout SeededGenerator) -> TokenRequest {
        func happens(_ chance: Int) -> Bool { Int.random(in: 0..<chance, using: &random) == 0 }
        let names = ["person1", "person2@contoso.example", "lab", "per", "nobody"]
        var request = TokenRequest(
            environment: happens(3) ? Self.environments.randomElement(using: &random) : nil,
            realm: happens(6) ? "contoso" : nil, clientID: happens(6) ? "mailer" : nil,
            scopes: Self.scopes.randomElement(using: &random) ?? [],
            context: Self.contexts.randomElement(using: &random) ?? RequestContext())
        request.name(
            asked: happens(5) ? names.randomElement(using: &random) : nil,
            login: request.context.url != nil && happens(6) ? names.randomElement(using: &random) : nil,
            usual: happens(8) ? names.randomElement(using: &random) : nil)
        return request
    }
}
