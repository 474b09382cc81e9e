internal import ArgumentParser
internal import Keyfob

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Keep the vaults of several machines alike, over a folder, a git repository, rclone or etcd.",
        discussion: """
            Each machine has a vault, a key and a folder of its own at REMOTE: a folder that Syncthing, a stick or a \
            network's disk carries, a git repository, what rclone reaches, or etcd (3.4 and later). What carries it reads nothing and is trusted with nothing. Two \
            machines let each other in by six words that a person takes from one to the other. After that 'keyfob sync' \
            takes in what others have written and writes what is new here; a timer may do it ('systemctl --user enable \
            --now keyfob-sync.timer', after 'keyfob unlock --user' or with KEYFOB_KEY_FILE in ~/.config/environment.d).
            Accounts, labels, bindings, defaults, sign-outs and removals travel. Only Google's refresh tokens \
            travel; at other providers sign in once on each machine. Access tokens travel only over etcd.

            Example:
              keyfob sync init ~/Sync/keyfob
              keyfob sync join ~/Sync/keyfob lusab-babad-gutih-tugad-mudof-sakat
              keyfob sync approve fahom-duhop-zojul-kabiv-popun-rimor
              keyfob sync
              keyfob sync --watch
              keyfob sync status

            Exit status: 0 done, 64 usage, 65 something of a device is not what it signed, 66 no folder, 75 the remote \
            cannot be reached, 77 a key that does not open the whole vault, 78 the vault is not in a sync.
            """,
        subcommands: [
            SyncRunCommand.self, SyncInitCommand.self, SyncJoinCommand.self, SyncApproveCommand.self,
            SyncRevokeCommand.self, SyncLeaveCommand.self, SyncAcceptCommand.self, SyncRepairCommand.self,
            SyncStatusCommand.self,
        ], defaultSubcommand: SyncRunCommand.self)
}
