internal import ArgumentParser
internal import Keyfob

/// The command: its subcommands and its version, nothing else.
struct KeyfobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyfob",
        abstract: "An encrypted keyring for the accounts and tokens of many tools.",
        discussion: """
            Accounts and tokens are kept in one encrypted vault, partitioned by access group.

            Example:
              keyfob init --recovery-file ~/keyfob-recovery.txt
              keyfob import --discover
              keyfob login microsoft
              keyfob account list
              keyfob token --account ada@contoso.example \\
                --scope https://graph.microsoft.com/.default

            Exit status: 0 done, 1 any other failure, 10 sign-in needed, 11 ambiguous, 12 locked, 13 not found, \
            14 scopes declined, 15 cancelled, 64 usage, 65 malformed or damaged, 66 no vault or file, 69 a service is \
            missing, 73 exists already, 74 input/output, 75 try again, 77 wrong key, or group, host or program not \
            allowed, 78 configuration. 'keyfob help exit-status' has them all.
            """,
        version: Release.version,
        groupedSubcommands: [
            CommandGroup(
                name: "The vault",
                subcommands: [
                    InitCommand.self, StatusCommand.self, DoctorCommand.self, VerifyCommand.self, UnlockCommand.self,
                    LockCommand.self, PasswdCommand.self, SlotCommand.self, RekeyCommand.self, GroupCommand.self,
                    MigrateCommand.self,
                ]),
            CommandGroup(
                name: "Accounts and tokens",
                subcommands: [
                    AccountCommand.self, AddCommand.self, TokenCommand.self, WhichCommand.self, PickCommand.self,
                    UndoCommand.self,
                ]),
            CommandGroup(
                name: "Signing in",
                subcommands: [
                    LoginCommand.self, LogoutCommand.self, RequestCommand.self, ProviderCommand.self,
                    ClientCommand.self, RedirectCommand.self,
                ]),
            CommandGroup(
                name: "Other tools",
                subcommands: [
                    ExecCommand.self, MCPCommand.self, InjectCommand.self, EnvCommand.self, CredentialCommand.self,
                    SetupCommand.self,
                    MirrorCommand.self, AgentCommand.self, BrokerCommand.self, DeviceCommand.self,
                ]),
            CommandGroup(name: "Programs that ask the agent", subcommands: [ProgramCommand.self, LogCommand.self]),
            CommandGroup(
                name: "Bundles and other machines",
                subcommands: [
                    ExportCommand.self, ImportCommand.self, BackupCommand.self, RestoreCommand.self, SyncCommand.self,
                    LostCommand.self,
                ]),
            CommandGroup(
                name: "Which account",
                subcommands: [
                    UseCommand.self, WhoamiCommand.self, PromptCommand.self, BindCommand.self, UnbindCommand.self,
                    BindingsCommand.self,
                    AllowCommand.self, HistoryCommand.self,
                ]),
            CommandGroup(
                name: "The command itself",
                subcommands: [CompletionsCommand.self, ManCommand.self, UninstallCommand.self]),
        ])
}
