/// What `keyfob --help` says where there is room for its lines.
///
/// The full program makes the same of its commands, and takes ten times as long to start. A test holds this to it; what has
/// changed comes from `.build/debug/keyfob --help | cat`.
enum Help {
    /// The longest that a line may be.
    static let columns = 80

    /// The text, its last line ended.
    static let text = #"""
        OVERVIEW: An encrypted keyring for the accounts and tokens of many tools.

        Accounts and tokens are kept in one encrypted vault, partitioned by access
        group.

        Example:
          keyfob init --recovery-file ~/keyfob-recovery.txt
          keyfob import --discover
          keyfob login microsoft
          keyfob account list
          keyfob token --account ada@contoso.example \
            --scope https://graph.microsoft.com/.default

        Exit status: 0 done, 1 any other failure, 10 sign-in needed, 11 ambiguous, 12
        locked, 13 not found, 14 scopes declined, 15 cancelled, 64 usage, 65 malformed
        or damaged, 66 no vault or file, 69 a service is missing, 73 exists already, 74
        input/output, 75 try again, 77 wrong key, or group, host or program not allowed,
        78 configuration. 'keyfob help exit-status' has them all.

        USAGE: keyfob <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        THE VAULT:
          init                    Make a new vault.
          status                  Show what is there, and whether it is unlocked.
          doctor                  Find out what is wrong, and how to mend it.
          verify                  Open every record and check every manifest.
          unlock                  Keep the key in a kernel keyring for a while.
          lock                    Forget the keys that 'unlock' has kept, and those of
                                  the agent.
          passwd                  Change the passphrase of the vault, or set the first
                                  one.
          slot                    Ways to unlock the vault.
          rekey                   Give the vault and its groups new keys, and seal
                                  everything again.
          group                   Access groups, each under a key of its own.
          migrate                 Move all records to the desktop's keyring, or back
                                  into Keyfob's own file.

        ACCOUNTS AND TOKENS:
          account                 The accounts in the keyring.
          add                     Store a token that came from elsewhere.
          token                   Print an access token.
          which                   Show which account 'token' would take, and why.
          pick                    Choose an account on the terminal.
          undo                    Take back what a command has changed in the vault.

        SIGNING IN:
          login                   Sign in to a provider.
          logout                  Sign an account out.
          request                 Call an API with the right account's token.
          provider                Identity providers: those built in, and those you add.
          client                  The OAuth clients to sign in with.
          redirect                Hand the answer of a browser to the sign-in that waits
                                  for it.

        OTHER TOOLS:
          exec                    Run a program that gets tokens.
          mcp                     Let MCP clients use a remote server, with its token.
          inject                  Put tokens into a text that refers to them.
          env                     Print what makes a shell work with an account.
          helper                  Give other tools the credentials they ask for, by
                                  their own protocols.
          setup                   Let another tool ask Keyfob, by a few lines of its
                                  configuration.
          mirror                  Keep another program's token cache in step with a
                                  group.
          agent                   Answer programs over a socket: each has what it may
                                  have.
          broker                  Ask another program that is the session's identity
                                  broker.
          device                  Say what the identity broker knows of this machine.

        PROGRAMS THAT ASK THE AGENT:
          program                 What programs may do through 'keyfob agent'.
          log                     Which program was given which account's token, for
                                  what, and when.

        BUNDLES AND OTHER MACHINES:
          export                  Write accounts and tokens for another keyring, or for
                                  another program.
          import                  Take over accounts and tokens from a bundle, a token
                                  cache or another tool.
          backup                  Back up the whole vault, list its backups, check or
                                  compare them.
          restore                 Bring a backup back.
          sync                    Keep the vaults of several machines alike, over a
                                  folder, a git repository, rclone or etcd.
          lost                    Say what a lost machine could reach, and take it out
                                  of the sync.

        WHICH ACCOUNT:
          use                     Use an account from now on, everywhere or in this
                                  directory.
          whoami                  Say which account counts here, and why.
          prompt                  Print who counts here, for a shell's prompt.
          bind                    Bind a directory, a URL, a host or a tool to an
                                  account.
          unbind                  Take the bindings of a directory, a URL, a host or a
                                  tool back.
          bindings                List what is bound to which account.
          allow                   Allow a .keyfob.toml to say which account its
                                  directory uses.
          history                 The choices that the selection learns from.

        THE COMMAND ITSELF:
          completions             Print a completion script for a shell.
          man                     Show the manual, or write its pages into a folder.
          uninstall               Say what Keyfob has left on this machine, and undo
                                  what it may.

          See 'keyfob help <subcommand>' for one, 'keyfob help options' for all.

        """#
}
