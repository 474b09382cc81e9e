internal import KeyfobModel

/// The public client of a program that many people use already: who has no client of their own can sign in with it.
///
/// The provider then takes Keyfob for that program: its name is on the page of consent and in the organisation's log, and
/// what its publisher or an administrator forbids it, Keyfob cannot do. Nobody gets one without naming it.
public struct WellKnownClient: Hashable, Sendable {
    /// By which people choose it: `azure-cli`.
    public let name: String
    /// The program's name for people.
    public let title: String
    /// Who publishes the program.
    public let publisher: String
    /// Where the id stands in public.
    public let source: String
    /// The name of the provider.
    public let provider: String
    /// The host under which the provider's accounts are kept.
    public let environment: String
    /// The client id.
    public let id: String
    /// Whether people can sign in with a browser on this machine; with a code they can with each of these.
    public let signsInByBrowser: Bool
    /// The addresses at which it takes an answer; none for the provider's usual ones.
    public let redirectURIs: [String]
    /// The scopes to ask for where nobody names any; none for those of the provider.
    public let scopes: ScopeSet
    /// Whether it shares refresh tokens with other programs of its publisher (MSAL's family of client ids).
    public let isInFamily: Bool

    /// What is added to a keyring.
    public var registration: ClientRegistration {
        ClientRegistration(id: id, name: title, redirectURIs: redirectURIs, scopes: scopes)
    }

    /// All of them, by provider and name.
    public static let all = [
        WellKnownClient(
            name: "github-cli", title: "GitHub CLI", publisher: "GitHub", source: "https://github.com/cli/cli",
            provider: "github", environment: "github.com", id: "178c6fc778ccc68e1d6a", signsInByBrowser: false),
        WellKnownClient(
            name: "gitlab-cli", title: "GitLab CLI", publisher: "GitLab", source: "https://gitlab.com/gitlab-org/cli",
            provider: "gitlab", environment: "gitlab.com",
            id: "41d48f9422ebd655dd9cf2947d6979681dfaddc6d0c56f7628f6ada59559af1e",
            redirectURIs: ["http://localhost:7171/auth/redirect"],
            scopes: ["openid", "profile", "read_user", "write_repository"]),
        microsoft(
            "azure-cli", "Azure CLI", id: "04b07795-8ddb-461a-bbee-02f9e1bf7b46",
            source: "https://github.com/Azure/azure-cli", isInFamily: true),
        microsoft(
            "azure-powershell", "Azure PowerShell", id: "1950a258-227b-4e31-a9cf-717495945fc2",
            source: "https://github.com/Azure/azure-powershell", isInFamily: true),
        microsoft(
            "graph-cli", "Microsoft Graph Command Line Tools", id: "14d82eec-204b-4c2f-b7e8-296a70dab67e",
            source: "https://github.com/microsoftgraph/msgraph-sdk-powershell"),
        microsoft(
            "thunderbird", "Thunderbird", publisher: "Mozilla", id: "9e5f94bc-e8a4-4e73-b8be-63364c29d753",
            source: "https://hg.mozilla.org/comm-central", signsInByBrowser: false),
    ]

    /// The one that people call `name`.
    public static func named(_ name: String) -> WellKnownClient? {
        all.first { $0.name == Identifier.folded(name) }
    }

    /// Those of the provider that serves an environment.
    public static func at(_ environment: String) -> [WellKnownClient] {
        all.filter { EnvironmentAliases.areSame($0.environment, environment) }
    }

    private init(
        name: String, title: String, publisher: String, source: String, provider: String, environment: String,
        id: String,
        signsInByBrowser: Bool = true, redirectURIs: [String] = [], scopes: ScopeSet = [], isInFamily: Bool = false
    ) {
        self.name = name
        self.title = title
        self.publisher = publisher
        self.source = source
        self.provider = provider
        self.environment = environment
        self.id = id
        self.signsInByBrowser = signsInByBrowser
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.isInFamily = isInFamily
    }

    private static func microsoft(
        _ name: String, _ title: String, publisher: String = "Microsoft", id: String, source: String,
        signsInByBrowser: Bool = true, isInFamily: Bool = false
    ) -> WellKnownClient {
        WellKnownClient(
            name: name, title: title, publisher: publisher, source: source, provider: "microsoft",
            environment: "login.microsoftonline.com", id: id, signsInByBrowser: signsInByBrowser, isInFamily: isInFamily
        )
    }
}
