import KeyfobInterop
import KeyfobSodium
import Testing

@Suite("docker's configuration")
struct DockerConfigurationTests {
    private func auth(_ text: String) -> String { Base64.standard.text(Array(text.utf8)) }

    @Test("tokens for the registries of GitHub and GitLab are those of their accounts")
    func tokens() throws {
        let sample = try ToolSample(
            """
            {"auths": {"ghcr.io": {"auth": "\(auth("Ada:\(ToolSample.github)"))"},
                       "https://registry.gitlab.com": {"username": "bob", "password": "\(ToolSample.gitlab)"}}}
            """)
        #expect(sample.format == .docker)
        #expect(
            sample.tokens == [
                "access_token ada@github.com \(ToolSample.github)", "access_token bob@gitlab.com \(ToolSample.gitlab)",
            ])
        #expect(sample.findings.isEmpty)
    }

    @Test("passwords, tokens for one registry, and what a helper keeps are told and left")
    func leftOut() throws {
        let sample = try ToolSample(
            """
            {"auths": {"https://index.docker.io/v1/": {"auth": "\(auth("ada:hunter2"))"},
                       "ghcr.io": {"auth": "\(auth("ada"))"},
                       "azure.azurecr.io": {"auth": "\(auth("0000:"))", "identitytoken": "eyJ"},
                       "registry.gitlab.com": {},
                       "registry.corp.example": {"auth": "\(auth("ada:\(ToolSample.gitlab)"))"},
                       "quay.io": {"auth": "!"}},
             "credsStore": "desktop", "credHelpers": {"gcr.io": "gcloud", "git.example": "keyfob"}}
            """)
        #expect(sample.tokens.isEmpty && sample.accounts.isEmpty)
        #expect(
            sample.findings == [
                "https://index.docker.io/v1/: its password does not look like a token",
                "ghcr.io: it is damaged: no base64 of a user and a password",
                "azure.azurecr.io: its token is for that registry alone",
                "registry.gitlab.com: its credentials are with docker-credential-desktop",
                "registry.corp.example: the registry is of no provider whose tokens are known",
                "quay.io: it is damaged: no base64 of a user and a password",
                "gcr.io: its credentials are with docker-credential-gcloud",
            ])
    }
}
