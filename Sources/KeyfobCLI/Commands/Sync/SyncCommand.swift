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
            Accounts, labels, bindings, defaults, sign-outs and removals travel. Refresh tokens do only where the provider is \
            known not to replace them at each use (Google): elsewhere each machine signs in once for itself. Access tokens do \
            not, but for those that machines which share a refresh token get for each other over etcd.

            Example:
              keyfob sync init ~/Sync/keyfob
              keyfob sync join ~/Sync/keyfob lusab-babad-gutih-tugad-mudof-sakat
              keyfob sync approve fahom-duhop-zojul-kabiv-popun-rimor
              keyfob sync
              keyfob sync --watch
              keyfob sync status

            Exit status: 0 done, 64 usage, 65 something of a device is not what it signed, 66 no folder, 75 the remote \
            cannot be reached, 77 a key that does not open the whole vault, 78 the vault is part of no sync.
            """,
        subcommands: [
            SyncRunCommand.self, SyncInitCommand.self, SyncJoinCommand.self, SyncApproveCommand.self,
            SyncRevokeCommand.self, SyncLeaveCommand.self, SyncAcceptCommand.self, SyncStatusCommand.self,
        ], defaultSubcommand: SyncRunCommand.self)
}

struct SyncRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Take in what others have written, and write what is new here.",
        discussion: """
            'keyfob sync' does the same. It may be run by a timer and by several processes, and be killed at any moment. What is \
            wrong with one device stops what comes from it and nothing else, and is told until 'keyfob sync accept'.
            With --watch it goes on until it is ended (Ctrl-C, SIGTERM), and then ends with 0: it synchronises when an account \
            changes here, when a folder changes or etcd tells of a change, and for all else every minute, or as often as \
            --every says. A remote that cannot be reached is tried again after growing pauses. It needs a key that it can use \
            without asking ('systemctl --user enable --now keyfob-sync-watch.service').

            Example:
              keyfob sync
              keyfob sync --watch
            """)

    @Flag(name: .long, help: "Go on, and synchronise whenever something changes.") var watch = false
    @Option(
        name: .long,
        help: ArgumentHelp("With --watch, synchronise at least as often (60).", valueName: "seconds"))
    var every: Int?
    @OptionGroup var options: SyncOptions

    func validate() throws {
        if watch, options.global.json { throw ValidationError("--watch prints no document") }
        if every != nil, !watch { throw ValidationError("--every is for --watch") }
        if let every, !(1...86_400).contains(every) { throw ValidationError("--every is 1 to 86400 seconds") }
    }

    func run() throws {
        let global = options.global
        if watch { return try SyncWatch(options, everySeconds: every).run() }
        let (keyring, transport) = try options.open()
        let report = try transport.synchronise(keyring)
        global.tellWarnings(of: keyring)
        try SyncText.tell(report, global)
        if report.status.findings.contains(where: \.stays) { throw ReportedFailure(status: .malformed) }
    }
}

struct SyncInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Begin a sync with this vault.",
        discussion: """
            Prints the six words of this device: they are given to 'keyfob sync join' on another machine.

            Example:
              keyfob sync init ~/Sync/keyfob
              keyfob sync init git@git.example:ada/keyfob-sync.git
              keyfob sync init rclone:drive:keyfob
              keyfob sync init etcd+https://etcd1.example,etcd2.example,etcd3.example/keyfob
            """)

    @Argument(
        help:
            "A folder, made where only it is missing, a git repository, rclone:REMOTE:PATH, or etcd+https://HOST,…/PREFIX."
    ) var remote: String
    @Option(name: .long, help: "What the others call this machine; by default its host name.") var name: String?
    @OptionGroup var options: SyncOptions

    func run() throws {
        let remote = try SyncRemote(remote)
        let global = options.global
        let keyring = try global.unlockedKeyring(reaching: .everything)
        remote.confine(keyring, isNew: true)
        let transport = try remote.transport(for: keyring, options)
        try transport.fetch()
        try keyring.sync.begin(at: remote.text, named: name ?? SyncRemote.hostName)
        let report = try transport.synchronise(keyring)
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(report.status)) }
        let words = report.status.own.words
        try StandardOutput.write(line: words)
        global.say("began a sync; on another machine, 'keyfob sync join REMOTE \(words)' asks to be let in")
    }
}

struct SyncJoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Ask to be let into a sync.",
        discussion: """
            WORDS are those of a device of the sync, which 'keyfob sync status' shows there: by them this vault knows whom to \
            trust. Take them from that machine itself, never from the folder. Prints the six words of this device, for \
            'keyfob sync approve' there. With --group, that device has a say in these groups alone. Without WORDS, or to give \
            others, run it again.

            Example:
              keyfob sync join ~/Sync/keyfob lusab-babad-gutih-tugad-mudof-sakat
            """)

    @Argument(help: "The folder, the git repository, or what else was given to init, as it is called here.") var remote:
        String
    @Argument(help: "The six words of a device of the sync.") var words: String?
    @Option(name: .long, help: "What the others call this machine; by default its host name.") var name: String?
    @OptionGroup var options: SyncOptions

    func run() throws {
        let remote = try SyncRemote(remote)
        let global = options.global
        let groups = try global.group.isEmpty ? nil : global.groups()
        let keyring = try global.unlockedKeyring(reaching: .everything)
        remote.confine(keyring)
        let transport = try remote.transport(for: keyring, options)
        let status = try transport.attempt { () throws(KeyringError) in
            try keyring.sync.join(
                at: remote.text, named: name ?? SyncRemote.hostName, trusting: words, groups: groups,
                through: transport.folder)
            let status = try keyring.sync.status()
            return (status, status.ownFolder)
        }
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(status)) }
        try StandardOutput.write(line: status.own.words)
        global.say(
            "on a machine of the sync, 'keyfob sync approve \(status.own.words)' lets this one in; then 'keyfob sync'")
        if words == nil {
            global.say(
                "'keyfob sync join REMOTE WORDS' says which device is trusted: 'keyfob sync status' there has its words"
            )
        }
    }
}

struct SyncApproveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Let a machine into the sync.",
        discussion: """
            WORDS are those that 'keyfob sync join' has printed on that machine: take them from there. With --group it shares, \
            and decides for, these groups alone. Without WORDS, lists who asks.

            Example:
              keyfob sync approve fahom-duhop-zojul-kabiv-popun-rimor
              keyfob sync approve fahom-duhop-zojul-kabiv-popun-rimor --group work
            """)

    @Argument(help: "The six words of the machine.") var words: String?
    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let groups = try global.group.isEmpty ? nil : global.groups()
        let (keyring, transport) = try options.open()
        guard let words else {
            try transport.fetch()
            let requests = try keyring.sync.status(through: transport.folder).requests
            throw KeyringError(
                .usage,
                requests.isEmpty
                    ? "nobody asks to be let in, as far as is seen here"
                    : "a machine is let in by its words, as it shows them itself",
                hint: requests.isEmpty
                    ? "run 'keyfob sync join REMOTE' there" : "compare them, and run 'keyfob sync approve WORDS'",
                candidates: requests)
        }
        try transport.fetch()
        let change = try keyring.sync.approve(words, groups: groups, through: transport.folder)
        let report = try transport.synchronise(keyring)
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(report.status)) }
        global.say("let \(change.title) in\(groups.map { ", for \(SyncText.groups($0))" } ?? "")")
    }
}

struct SyncRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Keep a machine out of the sync from now on.",
        discussion: """
            Nothing is encrypted for it any more, nothing is taken from it, and what it has decided goes. What it has read it has \
            read: the sign-ins whose tokens it has are listed, to be ended with 'keyfob logout' or at the provider. It can \
            ask to be let in again as another device. Machines that it alone had let in are out with it and are listed; --keep \
            names one that stays.

            Example:
              keyfob sync revoke laptop
              keyfob sync revoke laptop --keep phone
            """)

    @Argument(help: "What it is called, or its words, or the first of them.") var device: String
    @Option(
        name: .long, help: ArgumentHelp("A machine that stays, although this one alone let it in.", valueName: "device")
    )
    var keep: [String] = []
    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let (keyring, transport) = try options.open()
        try transport.fetch()
        let change = try keyring.sync.revoke(device, keeping: keep)
        let report = try transport.synchronise(keyring)
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(report.status, after: change)) }
        global.say("revoked \(change.title)")
        for name in change.alsoOut {
            global.say(
                "out with it, which alone had let it in: \(TerminalText.line(name)); 'keyfob sync approve WORDS' lets it in again"
            )
        }
        for name in change.reduced { global.say("shares fewer groups without it: \(TerminalText.line(name))") }
        for line in change.removedDecisions { global.say("removed: \(line)") }
        if !change.signIns.isEmpty {
            global.say("it has the refresh tokens of these sign-ins; end them with 'keyfob logout':")
            for line in change.signIns { try StandardOutput.write(line: line) }
        }
    }
}

struct SyncAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Go on from what a machine shows now.",
        discussion: """
            For when you know why something of it is not what was seen before: its vault was restored, or the folder was.

            Example:
              keyfob sync accept laptop
            """)

    @Argument(help: "What it is called, or its words, or the first of them.") var device: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let (count, title) = try keyring.sync.acceptFindings(of: device)
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(try keyring.sync.status())) }
        global.say(
            "accepted \(Quantity.of(count, "finding")) about \(title); 'keyfob sync' goes on from what is there now")
    }
}
