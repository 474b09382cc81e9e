internal import ArgumentParser

struct CredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Give other tools the credentials they ask for, by their own protocols.",
        discussion: """
            Called by those tools, also by the names that they look for (git-credential-keyfob, …), which 'make install' \
            puts beside keyfob. Helpers ask for no passphrase: unlock the vault beforehand ('keyfob unlock', or \
            KEYFOB_KEY_FILE). Where no account is meant they say nothing and end with 0, so that the tool goes on.

            Example:
              git config --global credential.helper keyfob
            """,
        subcommands: [
            GitCredentialCommand.self, DockerCredentialCommand.self, KubectlCredentialCommand.self,
            AWSCredentialCommand.self,
        ])
}
