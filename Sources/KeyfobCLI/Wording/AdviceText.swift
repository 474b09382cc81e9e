internal import Keyfob

extension KeyringError {
    /// What to do, in this command's terms: one line.
    var hint: String? { advice?.text }
}

extension KeyringError {
    /// The first of those that it is about, in brackets; empty where the message names them.
    var candidateText: String {
        candidateNames.isEmpty ? "" : " (\(Quantity.list(candidateNames, of: candidates.count)))"
    }
}

extension Warning {
    /// The warning and what to do, in one line.
    var text: String { message + (advice.map { "; \($0.text)" } ?? "") }
}

// Each advice in the words of this command: no other file of it knows which advice there is.
extension Advice {
    /// The advice as it is shown: one line.
    var text: String {
        switch self {
        case .listAccounts: "'keyfob account list' shows your accounts"
        case .chooseAccount(nil, _): "say which with --account"
        case .chooseAccount(let name?, let group):
            "say which, for example --account \(ShellWord.inMessage(name))" + Self.option(group)
        case .makeDefault(let name):
            "make one the default, for example 'keyfob account default \(ShellWord.inMessage(name))'"
        case .useAccountID(let name, let group):
            "name one of them, for example \(ShellWord.inMessage(name))" + Self.option(group)
        case .nameAccountExactly: "name the account exactly, or run 'keyfob doctor'"
        case .explainSelection(let question): "'\(question.command)' says why"
        case .importAccounts: "add some with 'keyfob import --discover' or 'keyfob login'"
        case .listImportKinds:
            "known are a bundle of Keyfob's, a cache of MSAL or ADAL, and files of gh, gcloud, git, docker, kubectl, "
                + "oidc-agent, mutt_oauth2.py, pizauth and Python's keyring; one token is stored with 'keyfob add'"
        case .rebind(let binding): "bind it again, run \(binding.undoing), or name an account with --account"
        case .nameAccountOrUnbind(let binding): "name an account with --account, or run \(binding.undoing)"
        case .forgetAccount(let account, let group):
            "sign in again with 'keyfob login' or 'keyfob add', name another one with --account, or let others be taken: "
                + "'keyfob account remove --unbind \(ShellWord.inMessage(account))\(Self.option(group == .default ? nil : group))'"
        case .chooseLabel: "choose another label; 'keyfob account list' shows what your accounts are called"
        case .agreeWithAddress: "name the same account in both, or in one of them"
        case .allowHost(let host, let account, let near):
            (near.map { "did you mean \($0)? " } ?? "") + Self.waysOut(to: host, account)
        case .signInTo(let provider): "sign in there with 'keyfob login \(provider)'"
        case .sendRequests:
            "let Keyfob send the requests: 'keyfob request URL', or of a program 'keyfob exec --proxy -- PROGRAM'"
        case .sendRequest: "let Keyfob send the request: 'keyfob request URL'"
        case .nameDestination: "ask for it with the URL that it goes to"
        case .useHTTPS: "use https"
        case .omitCredentials(let rest):
            (rest.map { "type \(ShellWord.inMessage($0))" } ?? "leave it out") + ", and name the account beside it"
        case .removeFromOneGroup(let account):
            "remove it from one of the two: 'keyfob account remove \(ShellWord.inMessage(account)) --group NAME'"
        case .chooseGroup(let group): "say in which, for example --group \(ShellWord.inMessage(group.name))"
        case .chooseClient: "say which with --client"
        case .chooseClientOrAll: "say which with --client, or sign out of all with --everywhere"
        case .chooseClientOrDefault:
            "say which with --client, or make one the default with 'keyfob client add --replace --default'"
        case .chooseTenant: "say which with --tenant"
        case .omitTenant: "leave out --tenant"
        case .chooseScopes: "say which with --scope"
        case .chooseProvider: "say which with --provider"

        case .signIn(let continuation): continuation.advice
        case .findScope(let continuation): "find out which one, then \(continuation.advice(adding: "--scope SCOPE"))"
        case .askAdministrator(let continuation): continuation.advice
        case .meetPolicy(isAboutDevice: true):
            "enrol this machine (Microsoft Intune) and run 'keyfob login' in a browser that shows it, such as Edge, or ask "
                + "the organisation's administrator"
        case .meetPolicy(isAboutDevice: false):
            "ask the organisation's administrator to allow the client, or sign in with one that is allowed "
                + "('keyfob login --client')"
        case .takeOver:
            "'keyfob import --take-over' moves it out of the cache, 'keyfob login' makes a separate one for Keyfob"
        case .signInApart: "'keyfob login' makes a separate sign-in for Keyfob"
        case .signInOrImport:
            "sign in with 'keyfob login', or with the program that owns the account, and import again"
        case .signInAs(let name): "sign in as \(name), or without --account"
        case .allowRefresh: "its refresh token is here: ask without --offline"
        case .storeAgain: "store it again"
        case .storeTokenOf(let id, let scopes):
            "store a new token with 'keyfob add \(ShellWord.inMessage(id))\(Self.options(scopes))'"
        case .signInOrStoreToken(let account, let scopes):
            "run 'keyfob login --account \(ShellWord.inMessage(account))\(Self.options(scopes))', or store a token with "
                + "'keyfob add'"
        case .undo(let id, let until):
            "'keyfob undo \(id)' brings its token back until \(LocalTime.text(until)), 'keyfob add' stores another"
        case .undoRemoval(let id, let until, let account, let group):
            "'keyfob undo \(id)' brings it back until \(LocalTime.text(until)); or "
                + Advice.forgetAccount(account, group).text
        case .listUndo: "'keyfob undo --list' shows what can be undone"
        case .insteadOfUndo(let change, let command, let id):
            LastingText.ways(change, olderCommand: command, olderID: id)
        case .addProviderOrToken:
            "add its provider with 'keyfob provider add', or store a new token with 'keyfob add'"
        case .useGrantedScopes(let scopes): "granted and stored: \(scopes)"
        case .askForOtherScopes: "ask for other scopes, or let an administrator consent"
        case .askWhoSignedIn: "ask for the scope openid, or describe its userinfo_endpoint"
        case .nameAccount(let id):
            "call the account as you like with --name"
                + (id.map { ", or sign in again as one that is there: --account \(ShellWord.inMessage($0))" } ?? "")
        case .omitPort: "leave out --port and --form-post"
        case .freePort: "end the program that uses it, say another with --port, or use --device"
        case .signInOnDevice: "sign in where you are logged in, or use --device"
        case .omitFormPost: "sign in without --form-post, and tell the provider"
        case .checkClock: "check this machine's clock"
        case .checkRole: "check the role's name, and the issuer and audience that its trust policy names"
        case .checkTokenService: "check that --region or --endpoint names AWS's Security Token Service"

        case .tryAgain(let assurance): assurance.prefix + "try again"
        case .tryAgainWatching(let assurance): assurance.prefix + "try again; --verbose says more"
        case .tryAgainLonger(let assurance): assurance.prefix + "try again, or with a longer '--timeout'"
        case .checkNetwork(let assurance): assurance.prefix + "check the network and try again"
        case .checkProxy(let triesAgain):
            "check the network and the proxy settings\(triesAgain ? ", then try again" : ""); --verbose says more"
        case .trustCertificate(let isProviders):
            "nothing was sent; if it is your organisation's, trust its authority's certificate with --ca-file FILE"
                + (isProviders ? ", or for good with --ca-file of 'keyfob provider add'" : "")
        case .mendCertificateFile(let provider):
            "put it back, say another one this once with --ca-file FILE, or for good: 'keyfob provider show --json "
                + "\(ShellWord.inMessage(provider))' prints the description, whose caFile 'keyfob provider add --replace -' changes"
        case .installLibcurl: "install libcurl (libcurl4 on Debian and Ubuntu)"
        case .installLibcrypto: "install OpenSSL 3 (libssl3 on Debian and Ubuntu)"
        case .wait(let seconds): "try again in \(seconds) seconds"
        case .waitUntil(let time): "try again after \(LocalTime.text(time))"
        case .beginAnew(let waitsLonger): "run the command again" + (waitsLonger ? "; --timeout waits longer" : "")
        case .allowPrompt:
            (CommandLine.arguments.contains("--no-input")
                ? "run this again without --no-input; " : "run this again on a terminal, or in the desktop's session; ")
                + Self.askingLess

        case .listProviders: "'keyfob provider list' shows the known ones"
        case .listClients: "'keyfob client list' shows the known ones"
        case .listAccountClients: "'keyfob account show' lists them"
        case .showDescription: "'keyfob provider show --json NAME' prints one that will"
        case .useDescriptionFormat(let version): "it knows \(version)"
        case .nameProvider: "give it a name"
        case .replace: "replace it with --replace"
        case .renameOrReplace: "give the new one another name, or replace the old one with --replace"
        case .replaceProvider: "change that with 'keyfob provider add --replace'"
        case .separateEnvironments: "each provider needs an environment of its own"
        case .addProvider(let group):
            "add it with 'keyfob provider add --group \(ShellWord.inMessage(group.name)) --issuer'"
        case .useGroupOfProvider(let group, let otherwise):
            "sign in with --group \(ShellWord.inMessage(group.name)), or add it to group '\(otherwise)' too"
        case .addDeviceEndpoint: "if devices can sign in there, add it again with --device-endpoint"
        case .addEndpoint: "if it has one, name it in a description, see 'keyfob provider add --help'"
        case .addRevocationEndpoint: "'keyfob provider add --revocation-endpoint' names one"
        case .proveClient(let client, let provider, let byCertificate):
            "it takes clients that \(byCertificate ? "show a certificate" : "sign who they are") alone: 'keyfob client add "
                + "\(ShellWord.inMessage(client)) --provider \(ShellWord.inMessage(provider)) --replace "
                + "--client-\(byCertificate ? "certificate" : "key") FILE'"
        case .nameClient: "register a client there, and name it with --client"
        case .nameIssuer(let issuer): "say which one with --issuer \(ShellWord.inMessage(issuer))"
        case .describeProvider:
            "check the address, or describe the provider in a file, see 'keyfob provider add --help'"
        case .checkProvider(let name): "'keyfob provider check \(ShellWord.inMessage(name))' asks again"
        case .leaveProvider(let name):
            "to go on, sign its accounts out with 'keyfob logout --forget'"
                + (name.map { ", then 'keyfob provider remove \(ShellWord.inMessage($0))'" } ?? "")
        case .addClient(let provider): Self.waysToClient(of: provider)
        case .addClientSecret:
            "add the client again with 'keyfob client add --replace', and --secret-fd, --client-key or --client-certificate"

        case .createVault: "make one with 'keyfob init'"
        case .makeNewVault: "make a new vault"
        case .nameVault: "say where the vault is with --vault"
        case .useVault: "'keyfob status' shows it, and --vault FOLDER makes another"
        case .unlock: "run 'keyfob unlock', or give a key file"
        case .unlockForUser: "run 'keyfob unlock --user', or give a key file (--key-file FILE)"
        case .unlockWithRuntimeFolder(let path):
            "run 'export XDG_RUNTIME_DIR=\(ShellWord.inMessage(path))' and 'keyfob unlock --user', or give a key file "
                + "(--key-file FILE)"
        case .unlockAgent: "run 'keyfob unlock --agent'"
        case .unlockWholeVault: "unlock with the vault's passphrase or key file"
        case .unlockOtherwise: Self.otherSlots + "; 'keyfob doctor' tells how to mend it"
        case .avoidSlot: "the slot was tampered with; unlock with another one"
        case .listGroups: "'keyfob group list' shows the groups"
        case .createGroup: "make one with 'keyfob group create'"
        case .listSlots: "'keyfob slot list' shows the slots"
        case .giveOtherKey(let kinds): "it opens with \(kinds.map(Self.key).joined(separator: ", or "))"
        case .unsetKeyFile(let kinds): "unset KEYFOB_KEY_FILE: \(Self.giveOtherKey(kinds).text)"
        case .replaceLostKey(let kind):
            "if \(kind == "passphrase" ? "it is forgotten" : "the right one is lost"), 'keyfob slot add \(kind)"
                + "\(kind == "passphrase" ? "" : " --new NEW") --identity FILE' makes another (FILE: your recovery key)"
        case .addSlot:
            "add another one first, such as 'keyfob slot add passphrase' or 'keyfob slot add key-file --new FILE'; "
                + "'keyfob slot add --help' tells of all"
        case .moveKeyFile: "keep it somewhere else"
        case .useKeyFile: "give the group a key file"
        case .makeKeyFile(let group): "make another key file for group '\(group)'"
        case .makeLongKeyFile: "make one with 'head -c 32 /dev/urandom > FILE' and chmod 600 it"
        case .usePassphraseOrKeyFile: "give it a passphrase or a key file"
        case .giveRecipient: "one looks like age1… (62 characters) or age1pq1… (1959)"
        case .addRecipient(true):
            "'keyfob rekey --recovery-file FILE' makes a recovery key, and 'keyfob slot add recipient age1…' takes a key of "
                + "age's"
        case .addRecipient(false):
            "'keyfob slot add recovery-key FILE' puts back the recovery key that you have in FILE, and 'keyfob slot add "
                + "recipient age1…' takes another key of age's"
        case .nameRecipient(false):
            "say who it is for with --recipient, or put back the recovery key that you have in FILE with 'keyfob slot add "
                + "recovery-key FILE'"
        case .nameRecipient(true):
            "say who it is for with --recipient, or make a recovery key with 'keyfob rekey --recovery-file FILE'"
        case .startSession:
            "'keyfob unlock --user' lets all that you run have the key; or log in through PAM with pam_keyinit, or start a "
                + "shell with 'keyctl session'"
        case .giveKeyFile:
            "give each command a key file (--key-file FILE); 'keyfob slot add key-file --new FILE' makes one"
        case .setRuntimeFolder:
            "log in through PAM with pam_systemd, or set it to a folder of your own with mode 0700, best on a tmpfs"
        case .lockInSession: "type 'keyfob lock' in the session in which 'keyfob unlock' was typed"
        case .openPath(let path): "'chmod u+rwX \(ShellWord.inMessage(path))' opens it"
        case .mountForWriting: "mount its disk for writing, or name another vault with --vault"
        case .useOwnRuntimeFolder: "XDG_RUNTIME_DIR is to be a folder of your own with mode 0700"
        case .diagnose(.none): "run 'keyfob doctor'"
        case .diagnose: "run 'keyfob doctor'; nothing has been changed"
        case .verify: "run 'keyfob verify'"
        case .verifyAndRestore: "run 'keyfob verify' to see which group, and 'keyfob doctor' what to do"
        case .repair: "run 'keyfob doctor --repair' first"
        case .repairOrMakeElsewhere:
            "'keyfob doctor --repair' writes it again, and --vault FOLDER makes another vault"
        case .mendSchema:
            "find out which program wrote there; 'keyfob doctor --repair' makes the schema Keyfob's again"
        case .replaceVault:
            "put back the vault's folder from a copy, or restore a backup: 'keyfob doctor' says which is the newest"
        case .mendHeaderCopy:
            "take away what is in its way; what unlocks the vault next writes it, and 'keyfob doctor' says whether it is right"
        case .restoreBackup(let path, let putsAside): Self.restoring(path, puttingAside: putsAside)
        case .acceptVault(let isReplaced):
            isReplaced
                ? "if you put it there yourself, run 'keyfob doctor --accept-vault'; else put the old one back"
                : "unlock it in another way, or, if you made it, run 'keyfob doctor --accept-vault'"
        case .acceptRollback(let first):
            "if you put an older copy there yourself, run 'keyfob doctor --accept-rollback'"
                + (first ? " first" : "; else 'keyfob doctor' says what to do")
        case .acceptFork:
            "if you have used two copies of the vault, 'keyfob doctor --accept-rollback' goes on with this one; else "
                + "'keyfob doctor' says what to do"
        case .acceptMarks:
            "see that your accounts are as you left them; then run 'keyfob doctor --accept-rollback'"
        case .update(let isReadable): "update Keyfob" + (isReadable ? "; until then the vault can only be read" : "")
        case .useLocalDisk: "keep the vault on a local disk and use exports between machines"
        case .makeRoom: "make room and try again"
        case .writeIntoPipe: "start what writes into it and see that it ends, or name a file in its place"
        case .openAgain: "open it again"
        case .openInThisProcess: "open it again in this process"
        case .restartAgent: "end its process ('keyfob agent') and start it again"
        case .openAgentSocket(let path):
            "where the vault is, run 'keyfob agent --socket \(ShellWord.inMessage(path)) --for NAME --account ACCOUNT'; or unset "
                + "KEYFOB_AGENT"

        case .listBindings: "'keyfob bindings' lists the bindings"
        case .listPrograms: "'keyfob program list' lists what was decided"
        case .permitProgram(let program, let action, let account, let group):
            "to let it: keyfob program allow \(ShellWord.inMessage(program)) "
                // Who is to sign in may be nobody who is here yet.
                + (account == nil && action == "sign-in"
                    ? "--all-accounts" : "--account \(account.map(ShellWord.inMessage) ?? "NAME")")
                + (action.map { " --action \($0)" } ?? "")
                + (group.map { " --group \(ShellWord.inMessage($0.name))" } ?? "")
        case .forgetProgram(let program):
            "'keyfob program forget \(ShellWord.inMessage(program))' takes that back"
        case .allow(let path): "review it and run 'keyfob allow \(ShellWord.inMessage(path))'"
        case .disallow(let path): "'keyfob allow --revoke \(ShellWord.inMessage(path))' forgets it"
        case .replaceLink: "put the file itself in its place"
        case .makeOwnFile: "make a file of your own"
        case .restrictFile: "chmod o-w it"
        case .useProjectFileKeys: "the keys are 'account', 'group' and 'tenant'"

        case .giveBundleIdentity: "give the one that it is for; for a backup, that is the recovery key of its vault"
        case .backUpElsewhere: "'keyfob backup --to FOLDER' writes one elsewhere"
        case .makeFolder(let path):
            "make it with 'mkdir -p \(ShellWord.inMessage(path))'"
                + (path.hasSuffix("/")
                    ? "" : ", or give the backup a file's name: \(ShellWord.inMessage(path + ".age"))")
        case .nameFileWithin: "name the file in it"
        case .keepFileToOneself: "chmod 600 it"
        case .letNobodyElseWrite: "chmod go-w it"
        case .goOnWithoutBackup: "--no-backup does the same without one"
        case .chooseGroups: "--group takes other groups of it alone"
        case .listBackup(let name):
            "'keyfob restore --list \(ShellWord.inMessage(name))' with its key lists those it has"
        case .beginSync: "'keyfob sync init REMOTE' begins one, 'keyfob sync join REMOTE' joins one"
        case .joinSyncAgain:
            "'keyfob sync join REMOTE' makes it a device of its own, which another one lets in; revoke the old one there"
        case .synchronise: "run 'keyfob sync approve' on another device, and then 'keyfob sync' here"
        case .askForSync: "run 'keyfob sync join REMOTE' there, and try again when its files are here"
        case .showSync: "'keyfob sync status' shows who takes part"
        case .leaveSync: "'keyfob sync status' shows who takes part; after 'keyfob sync leave' it can join another one"
        case .joinSync: "'keyfob sync join REMOTE WORDS' joins it; or name another place"
        case .giveEtcdPassword: "KEYFOB_ETCD_PASSWORD_FILE names the file that holds it, for its owner alone"
        case .listRemotes: "'rclone listremotes' lists its remotes, 'rclone config' sets one up"
        case .makeRepository(let path): "make it with 'git init --bare \(ShellWord.inMessage(path))'"
        case .namePlace: "name the place as this machine sees the files that the others wrote"
        case .reachPlace:
            "see that its disk is there and try again; 'keyfob sync leave --here-only' leaves a sync whose place is gone"
        case .installProgram: "install it, and try again"
        case .tryByHand(let words):
            "nothing is lost; try again when '\(words.map(ShellWord.inMessage).joined(separator: " "))' works"
        case .inspectPlace: "look at what lies there, and who can write there"
        case .restoreOrVerify: "'keyfob restore' brings one back, 'keyfob backup --verify' checks one"
        case .proveBackup:
            "open it with the recovery key of its vault (one identity file can hold several), or take what it holds, but "
                + "for what decides, with --from-stranger"
        case .importBundle: "'keyfob import' imports it"
        case .convertPropertyList: "convert it with 'plistutil', or with 'plutil -convert binary1'"
        case .decryptFirst(.oidcAgent): "'oidc-gen --print FILE | keyfob import -' imports it"
        case .decryptFirst(.gnuPG): "'gpg --decrypt FILE | keyfob import -' imports it"

        case .mendService(let trouble, let use): trouble.text(for: use)
        case .repeatChange: "the next command that reaches it completes the change; see 'keyfob verify'"
        case .goBackToDatabase:
            "look for the keyring that holds them, or use keyring.db again as it is with 'keyfob migrate --to embedded'"
        case .moveToFile: "'keyfob migrate --to embedded' moves them into an encrypted file of Keyfob's own"
        case .overwriteNewer: "see with 'keyfob doctor' whether this vault is an old copy; --force overwrites them"
        case .removeItemsByHand:
            "they may be in use by another copy of the vault; remove them in Seahorse, or in KeePassXC, if they are not"

        case .words(let text), .told(_, let text): text
        }
    }
}

extension Advice {
    /// How a vault is made anew of a backup.
    ///
    /// - Parameter identity: The file that opens it, where it is known.
    static func restoring(_ path: String?, puttingAside: Bool, identity: String? = nil) -> String {
        let (backup, file) = (path.map(ShellWord.inMessage) ?? "BACKUP", identity.map(ShellWord.inMessage) ?? "FILE")
        let flag = puttingAside ? " --put-aside" : ""
        let known = identity == nil ? " (FILE: your recovery key)" : ""
        let check =
            path == nil || identity != nil ? "" : "; 'keyfob doctor --identity FILE' looks for the newest good one"
        return
            "'keyfob restore \(backup) --bundle-identity \(file)\(flag)' makes a vault of \(path == nil ? "a" : "the newest") "
            + "backup\(known) and deletes nothing\(check)"
    }

    /// How one is asked less often by the one service that asks each program anew.
    static let askingLess =
        "KeePassXC asks each time unless 'Confirm when passwords are retrieved by clients' is off in its settings (Secret "
        + "Service Integration)"

    /// How a vault is opened that the desktop's keyring does not open.
    static let otherSlots = "unlock with another slot, such as --key-file FILE or --identity FILE"

    /// The options for scopes.
    private static func options(_ scopes: ScopeSet) -> String {
        scopes.scopes.map { " --scope \(ShellWord.inMessage($0))" }.joined()
    }

    /// The option for a group that has to be named besides; empty where none has.
    private static func option(_ group: AccessGroup?) -> String {
        group.map { " --group \(ShellWord.inMessage($0.name))" } ?? ""
    }

    /// How a key of a kind is given.
    private static func key(_ kind: String) -> String {
        switch kind {
        case "passphrase": "its passphrase ('keyfob unlock')"
        case "key-file": "a key file (--key-file FILE)"
        case "recipient": "the recovery key or another identity (--identity FILE)"
        case "secret-service": "the desktop's keyring ('keyfob unlock')"
        default: "a key of kind \(kind)"
        }
    }

    /// How people come to a client id of a provider.
    private static func waysToClient(of provider: String) -> String {
        let known = WellKnownClient.all.filter { $0.provider == provider }
        guard let first = known.first else {
            return "'keyfob provider show \(ShellWord.inMessage(provider))' says where to get a client id, and "
                + "'keyfob client add ID --provider \(ShellWord.inMessage(provider))' adds it"
        }
        let others = known.count > 1 ? " ('keyfob client list --well-known' lists others)" : ""
        return
            "run 'keyfob client add --well-known \(first.name)' to sign in as \(first.title)\(others), or 'keyfob provider "
            + "show \(provider)' to see where to get a client id of your own"
    }

    /// What the owner can do so that a token of an account goes to a host.
    private static func waysOut(to host: String, _ account: String?) -> String {
        let (word, name) = (ShellWord.inMessage(host), account.map(ShellWord.inMessage) ?? "NAME")
        // 'bind' takes a host without a dot only with its scheme.
        let bound = LikelyHost.holds(host) ? word : ShellWord.inMessage("https://\(host)")
        return
            (bound == word ? "" : "an address looks so: https://github.com/\(word); ")
            + "if they should, run 'keyfob bind --host \(bound) \(name)', or say --account \(name) --allow-host \(word) "
            + "this once"
    }
}

extension Advice.Assurance {
    fileprivate var prefix: String {
        switch self {
        case .none: ""
        case .nothingLost: "nothing is lost; "
        case .nothingChanged: "nothing has changed; "
        }
    }
}

extension Advice.ServiceTrouble {
    fileprivate func text(for use: Advice.ServiceUse) -> String {
        switch use {
        case .unlocking: "\(reaching), or give another key, such as --key-file or --identity"
        case .importing: reaching
        case .making: "\(reaching), or leave out --storage, which makes a vault in a file"
        case .unlockingNew: "\(reaching), or have a key made with --new-key-file FILE in place of --secret-service"
        case .records: records
        case .moving: moving
        }
    }

    /// How a keyring of the desktop is unlocked, whichever it is.
    static let openingIt = "unlock it in your session, by opening KeePassXC or, for GNOME Keyring, Seahorse"
    /// How one gets a collection that is the default.
    private static let makingCollection =
        "make one, in the settings of KeePassXC's database or, for GNOME Keyring, in Seahorse"

    private var reaching: String {
        switch self {
        case .noLibrary: "install it (libsecret-1-0 on Debian)"
        case .noBus: "run this in your desktop session"
        case .noService: "start gnome-keyring or another keyring of the desktop"
        case .timedOut, .interrupted: "see whether the desktop's keyring hangs"
        case .locked: Self.openingIt
        case .noCollection: Self.makingCollection
        case .noItem, .refused, .tooLarge, .damaged: "see what the desktop's keyring says"
        }
    }

    private var records: String {
        switch self {
        case .noLibrary: "install libsecret (libsecret-1-0 on Debian); this vault's records are kept there"
        case .noBus: "run this in your desktop session; this vault's records are kept by its Secret Service"
        case .noService: "start the desktop's keyring, which keeps this vault's records"
        case .timedOut, .interrupted: "see whether the desktop's keyring hangs; this vault's records are in it"
        case .locked: Self.openingIt
        case .noCollection: Self.makingCollection
        case .noItem: "see whether another keyring holds them, or restore a backup elsewhere (--vault)"
        case .refused, .tooLarge, .damaged: "see what the desktop's keyring says; this vault's records are in it"
        }
    }

    private var moving: String {
        switch self {
        case .noLibrary: "install libsecret (libsecret-1-0 on Debian)"
        case .noBus: "run this in your desktop session"
        case .noService: "start the desktop's keyring"
        case .locked, .noItem: Self.openingIt
        case .noCollection: Self.makingCollection
        case .tooLarge: "remove that record, or keep the vault where it is"
        case .damaged: "the desktop's keyring does not keep what it is given; keep the vault where it is"
        case .timedOut, .refused, .interrupted:
            "run this again when the desktop's keyring answers; it goes on from there"
        }
    }
}

extension Binding {
    /// The command that takes the binding back.
    var undoing: String {
        if case .file(let path, _) = origin { return "'keyfob allow --revoke \(ShellWord.inMessage(path))'" }
        return "'keyfob unbind --\(subject.kind) \(ShellWord.inMessage(subject.text))'"
    }
}
