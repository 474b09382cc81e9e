internal import KeyfobModel

/// Where a provider gives client ids to whoever asks, and what to type there.
public struct RegistrationPage: Hashable, Sendable {
    /// The page's address.
    public let url: String
    /// What to choose and to type there, step by step.
    public let steps: [String]
    /// Whether even a program on a person's machine is given a secret.
    public let givesSecret: Bool

    private init(url: String, steps: [String], givesSecret: Bool = false) {
        self.url = url
        self.steps = steps
        self.givesSecret = givesSecret
    }

    /// The page of the provider that serves an environment; nil where it is not known.
    public static func of(_ environment: String) -> RegistrationPage? {
        switch EnvironmentAliases.canonicalName(of: environment) {
        case "login.microsoftonline.com":
            RegistrationPage(
                url: "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade",
                steps: [
                    "New registration; say which accounts may sign in",
                    "Authentication: add the platform 'Mobile and desktop applications' with http://localhost, and allow "
                        + "public client flows",
                    "the id is the 'Application (client) ID'; it has no secret",
                ])
        case "accounts.google.com":
            RegistrationPage(
                url: "https://console.cloud.google.com/apis/credentials",
                steps: [
                    "Create credentials, 'OAuth client ID', type 'Desktop app' ('TVs and limited input devices' for --device)",
                    "it has a client ID and a secret; Keyfob needs both",
                ], givesSecret: true)
        case "github.com":
            RegistrationPage(
                url: "https://github.com/settings/applications/new",
                steps: [
                    "Authorization callback URL: http://127.0.0.1/callback; check 'Enable Device Flow'",
                    "with --device the client ID is enough; a browser on this machine needs a client secret too",
                ])
        case "gitlab.com":
            RegistrationPage(
                url: "https://gitlab.com/-/user_settings/applications",
                steps: [
                    "Redirect URI: http://127.0.0.1/callback; clear 'Confidential'; scopes openid and read_user, and those "
                        + "that you need",
                    "the id is the 'Application ID'; it has no secret",
                ])
        default: nil
        }
    }
}
