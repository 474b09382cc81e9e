internal import KeyfobModel

/// Where a person sees at a provider which tokens it takes, and revokes them.
public struct TokenPage: Hashable, Sendable {
    /// The page's address.
    public let url: String

    /// The pages by the provider's host: of tokens that the provider gave out by itself, and of what programs were allowed.
    private static let pages: [String: (tokens: String, programs: String)] = [
        "github.com": ("https://github.com/settings/tokens", "https://github.com/settings/applications"),
        "gitlab.com": (
            "https://gitlab.com/-/user_settings/personal_access_tokens",
            "https://gitlab.com/-/user_settings/applications"
        ),
        "accounts.google.com": (
            "https://myaccount.google.com/connections", "https://myaccount.google.com/connections"
        ),
        "login.microsoftonline.com": ("https://myaccount.microsoft.com", "https://myaccount.microsoft.com"),
        "bitbucket.org": (
            "https://id.atlassian.com/manage-profile/security/api-tokens",
            "https://bitbucket.org/account/settings/app-authorizations/"
        ),
        "codeberg.org": (
            "https://codeberg.org/user/settings/applications", "https://codeberg.org/user/settings/applications"
        ),
        "huggingface.co": (
            "https://huggingface.co/settings/tokens", "https://huggingface.co/settings/connected-applications"
        ),
        "docker.io": (
            "https://app.docker.com/settings/personal-access-tokens",
            "https://app.docker.com/settings/personal-access-tokens"
        ),
        "pypi.org": ("https://pypi.org/manage/account/", "https://pypi.org/manage/account/"),
    ]

    /// The page of the provider that serves an environment; nil where it is not known.
    ///
    /// - Parameter isAddedByHand: Whether it is about a token that the provider gave out by itself, and not to a program.
    public static func of(_ environment: String, isAddedByHand: Bool) -> TokenPage? {
        let host = EnvironmentAliases.canonicalName(of: environment)
        if let page = pages[host] { return TokenPage(url: isAddedByHand ? page.tokens : page.programs) }
        // GitHub Enterprise Cloud with data residency.
        guard host.hasSuffix(".ghe.com") else { return nil }
        return TokenPage(url: "https://\(host)/settings/\(isAddedByHand ? "tokens" : "applications")")
    }
}
