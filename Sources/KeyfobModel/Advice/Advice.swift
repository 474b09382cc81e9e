/// What to do about an error or a warning.
///
/// The library knows no commands and no options: whoever shows an advice words it.
public enum Advice: Hashable, Sendable {
    // MARK: Which account, client, group or scope
    /// See which accounts there are.
    case listAccounts
    /// Say which account is meant: such as this one, of this group where it is in several.
    case chooseAccount(such: String?, group: AccessGroup?)
    /// Make one of several accounts the default, such as this one.
    case makeDefault(such: String)
    /// Name one of the accounts that were told: such as this one, of this group where it is in several.
    case useAccountID(such: String, group: AccessGroup?)
    /// Name the account exactly, or look for damage.
    case nameAccountExactly
    /// See what was said of each account, for the same question.
    case explainSelection(SelectionQuestion)
    /// Take accounts over from another program.
    case importAccounts
    /// Import a file of a kind that is known.
    case listImportKinds
    /// Bind the subject again, take this binding back, or name an account.
    case rebind(Binding)
    /// Name an account, or take this binding back.
    case nameAccountOrUnbind(Binding)
    /// Sign in again to an account that is not in this group any more, name another one, or take back what names it.
    case forgetAccount(String, AccessGroup)
    /// Name the same account as the address, or none.
    case agreeWithAddress
    /// Choose a label that no account is called by.
    case chooseLabel
    /// Remove the account, by its name, from one of the groups it is in.
    case removeFromOneGroup(String)
    /// Say in which group, such as this one.
    case chooseGroup(such: AccessGroup)
    /// Say which client is meant.
    case chooseClient
    /// Say which client is meant, or sign out of all.
    case chooseClientOrAll
    /// Say which client is meant, or make one the default.
    case chooseClientOrDefault
    /// Say which tenant is meant.
    case chooseTenant
    /// Ask without a tenant.
    case omitTenant
    /// Say which scopes the token must have.
    case chooseScopes
    /// Say which provider is meant.
    case chooseProvider

    // MARK: Where tokens go
    /// Bind the host to the account, name it in the description of the account's provider, or allow it once beside the
    /// account; the account is nil where nobody says which. A known host that is written almost so may have been meant.
    case allowHost(String, account: String?, near: String?)
    /// Sign in to the built-in provider of this name, whose host it is.
    case signInTo(provider: String)
    /// Ask for the token with the URL that it goes to.
    case nameDestination
    /// Let Keyfob send the requests, of a program too, and not only give the token.
    case sendRequests
    /// Let Keyfob send the request itself, and not only give the token.
    case sendRequest
    /// Use https.
    case useHTTPS
    /// Leave user and password out of a URL, of which this is the rest; the account is named beside it.
    case omitCredentials(rest: String?)

    // MARK: Signing in and tokens
    /// Sign in again, and repeat what the continuation says.
    case signIn(Continuation)
    /// Find out which scope a service wants, and sign in with that one too.
    case findScope(Continuation)
    /// Have an administrator of the tenant let the account in, or the client, and sign in then.
    case askAdministrator(Continuation)
    /// Sign in where the organisation lets people in, or have its administrator change the rule.
    case meetPolicy(isAboutDevice: Bool)
    /// Take a sign-in away from the program that it came from, or make one of its own.
    case takeOver
    /// Make a sign-in of one's own in place of the one that another program has too.
    case signInApart
    /// Sign in, or import again what another program has.
    case signInOrImport
    /// Sign in as the one who was expected.
    case signInAs(String)
    /// Let the refresh token be used.
    case allowRefresh
    /// Store the same token again, whole.
    case storeAgain
    /// Store a new token of the account with this id, which has these scopes.
    case storeTokenOf(String, scopes: ScopeSet = [])
    /// Sign in to the account of this name, or store a new token, for these scopes.
    case signInOrStoreToken(String, scopes: ScopeSet = [])
    /// Undo the sign-out or removal that is kept under this id, which is possible until then, or store a new token.
    case undo(id: String, until: Timestamp)
    /// Undo the removal of an account that is kept under this id, which is possible until then, or do what
    /// ``forgetAccount(_:_:)`` says.
    case undoRemoval(id: String, until: Timestamp, account: String, AccessGroup)
    /// See what can be undone.
    case listUndo
    /// Do what takes the place of an undo, where something does; the change before it is undone by its id.
    case insteadOfUndo(LastingChange, olderCommand: String?, olderID: String?)
    /// Add the account's provider, or store a new token.
    case addProviderOrToken
    /// Go on with what was granted, which is stored.
    case useGrantedScopes(ScopeSet)
    /// Ask for other scopes, or let an administrator consent.
    case askForOtherScopes
    /// Ask for the scope `openid`, or say where the provider tells who signed in.
    case askWhoSignedIn
    /// Say what to call the account, or sign in again as the one with this id.
    case nameAccount(String?)
    /// Sign in without a port of one's own and without a form post.
    case omitPort
    /// End the program that uses the port, choose another port, or sign in on another device.
    case freePort
    /// Sign in where one is logged in, or on another device.
    case signInOnDevice
    /// Let the answer come in the address, not as a form post.
    case omitFormPost
    /// Set this machine's clock.
    case checkClock
    /// Check that a role trusts the token's issuer and audience, and that it is the one that is meant.
    case checkRole
    /// Check that an address is that of AWS's Security Token Service.
    case checkTokenService

    // MARK: Trying again
    /// What is certain about what was there before.
    public enum Assurance: Hashable, Sendable {
        /// Nothing.
        case none
        /// Nothing is lost.
        case nothingLost
        /// Nothing has changed.
        case nothingChanged
    }
    /// Try again.
    case tryAgain(Assurance)
    /// Try again, and look at the network's trace.
    case tryAgainWatching(Assurance)
    /// Try again, or let the program that is run take longer.
    case tryAgainLonger(Assurance)
    /// Check the network and try again.
    case checkNetwork(Assurance)
    /// Check the network and the proxy settings; and try again, where the same request may be sent twice.
    case checkProxy(triesAgain: Bool)
    /// Trust the certificate of the organisation's authority, which can be said in the description of a provider where
    /// the request was to one; nothing was sent.
    case trustCertificate(isProviders: Bool)
    /// Put the file of certificates that the description of this provider names back, or name another one.
    case mendCertificateFile(String)
    /// Install libcurl.
    case installLibcurl
    /// Install OpenSSL 3's libcrypto.
    case installLibcrypto
    /// Wait for so many seconds.
    case wait(seconds: Int64)
    /// Wait until then.
    case waitUntil(Timestamp)
    /// Begin anew, and wait longer for whoever signs in.
    case beginAnew(waitsLonger: Bool)
    /// Let the desktop's keyring ask.
    case allowPrompt

    // MARK: Providers and their clients
    /// See which providers there are.
    case listProviders
    /// See which clients there are.
    case listClients
    /// See to which clients the account is signed in.
    case listAccountClients
    /// See a description that will do.
    case showDescription
    /// Write a description in this format.
    case useDescriptionFormat(Int64)
    /// Give the provider a name.
    case nameProvider
    /// Replace the one that is there.
    case replace
    /// Choose another name, or replace the one that is there.
    case renameOrReplace
    /// Change the provider's description.
    case replaceProvider
    /// Give each provider an environment of its own.
    case separateEnvironments
    /// Add the provider to this group.
    case addProvider(AccessGroup)
    /// Sign in where the provider is known, or add it to the second group.
    case useGroupOfProvider(AccessGroup, otherwise: AccessGroup)
    /// Say where devices ask for a code.
    case addDeviceEndpoint
    /// Say where the endpoint is, in a description.
    case addEndpoint
    /// Say where tokens are revoked.
    case addRevocationEndpoint
    /// Add the client id of a program that is known to the provider of this name or host.
    case addClient(provider: String)
    /// Add the client of a provider again with what it shows who it is by, as nothing less is taken.
    case proveClient(String, provider: String, byCertificate: Bool)
    /// Name a client that is registered at the authorization server, by its id.
    case nameClient
    /// Say by its issuer which authorization server is meant, for example this one.
    case nameIssuer(String)
    /// Check the address, or describe the provider, where it does not describe itself.
    case describeProvider
    /// Ask the provider of this name again what it offers.
    case checkProvider(String)
    /// Sign out the accounts of a provider, and remove it, before it is added anew; nil for one that is gone.
    case leaveProvider(String?)
    /// Add the client again, with its secret.
    case addClientSecret

    // MARK: The vault, its groups and slots
    /// Make a vault.
    case createVault
    /// Make a new vault in the place of one from before the first release.
    case makeNewVault
    /// Say where the vault is.
    case nameVault
    /// Look at the vault that is there, or make another elsewhere.
    case useVault
    /// Unlock the vault.
    case unlock
    /// Unlock the vault for all sessions of the user: this one has no keyring of its own.
    case unlockForUser
    /// Set `XDG_RUNTIME_DIR` to the login's folder, which is there, and unlock the vault for all sessions.
    case unlockWithRuntimeFolder(String)
    /// Unlock the vault for the agent.
    case unlockAgent
    /// Unlock with a key of the whole vault.
    case unlockWholeVault
    /// Unlock with another slot, and look for what is wrong with this one.
    case unlockOtherwise
    /// Unlock with another slot, because somebody has changed this one.
    case avoidSlot
    /// See which groups there are.
    case listGroups
    /// Make a group.
    case createGroup
    /// See which slots there are.
    case listSlots
    /// Unlock with a key that the vault has a slot for: `passphrase`, `key-file`, `recipient`, `secret-service`.
    case giveOtherKey([String])
    /// Do not let the environment name the key file: unlock with a key of one of these kinds.
    case unsetKeyFile([String])
    /// Give the right `passphrase` or `key-file`, or, where there is none any more, make another with the recovery key.
    case replaceLostKey(String)
    /// Add another slot first.
    case addSlot
    /// Keep the key file somewhere else.
    case moveKeyFile
    /// Use a key file for the group.
    case useKeyFile
    /// Make another key file, for this group.
    case makeKeyFile(AccessGroup)
    /// Make a key file of the right size.
    case makeLongKeyFile
    /// Use a passphrase or a key file.
    case usePassphraseOrKeyFile
    /// Give a recipient of age.
    case giveRecipient
    /// Add a recipient who can open backups; whether the vault has keys that can be made anew, a recovery key among them.
    case addRecipient(canRekey: Bool)
    /// Say for whom the backup is, or add such a recipient.
    case nameRecipient(canRekey: Bool)
    /// Start a session with a kernel keyring, or keep the key for all sessions of the user.
    case startSession
    /// Give a key file each time.
    case giveKeyFile
    /// Log in so that there is a runtime folder, or set one.
    case setRuntimeFolder
    /// Forget the key in the session in which it is kept.
    case lockInSession
    /// Let oneself into a folder of one's own, or write a file.
    case openPath(String)
    /// Mount the vault's disk so that it can be written, or use another vault.
    case mountForWriting
    /// Let the runtime folder be one's own.
    case useOwnRuntimeFolder
    /// Look for what is wrong; nothing has been changed where that is said.
    case diagnose(Assurance)
    /// Check every record.
    case verify
    /// Find out which group it is, and what there is to do.
    case verifyAndRestore
    /// Repair the vault first.
    case repair
    /// Have the file written again that says where the records of the vault are, or make another vault elsewhere.
    case repairOrMakeElsewhere
    /// Find out which program wrote into the database, and make its schema right again.
    case mendSchema
    /// Take away what is in the way of the header's copy; what opens the vault next writes it.
    case mendHeaderCopy
    /// Put the vault's folder back from a copy, or restore a backup in its place.
    case replaceVault
    /// Restore this backup, or another where none lies beside the vault; what is there of the vault is put aside, which
    /// has to be said where it could still be opened.
    case restoreBackup(path: String?, putsAside: Bool)
    /// Accept the earlier state, if that was meant.
    case acceptRollback(first: Bool)
    /// Accept the one of two histories that is there, if both are the owner's.
    case acceptFork
    /// See that all is there, and begin to note anew.
    case acceptMarks
    /// Accept the vault that is there, if it is the owner's; else put the old one back, or unlock it in another way.
    case acceptVault(isReplaced: Bool)
    /// Update Keyfob; until then the vault can be read, where that is said.
    case update(isReadable: Bool)
    /// Keep the vault on a local disk.
    case useLocalDisk
    /// Make room on the disk.
    case makeRoom
    /// Start the program that writes into the pipe, or name a file.
    case writeIntoPipe
    /// Open the vault again.
    case openAgain
    /// Open the vault again in this process, which was forked from the one that opened it.
    case openInThisProcess
    /// End the agent and start it again.
    case restartAgent
    /// Have an agent listen at this socket, where the vault is.
    case openAgentSocket(String)

    // MARK: Bindings and project files
    /// See what is bound and allowed.
    case listBindings
    /// See what programs may have.
    case listPrograms
    /// Let this program do something with an account: this one, where it is known which.
    ///
    /// `action` is the name of a right; nil for what is given where none is named.
    case permitProgram(String, action: String?, account: String?, group: AccessGroup?)
    /// Take back what was decided of this program.
    case forgetProgram(String)
    /// Review the project file at this path, and allow it.
    case allow(path: String)
    /// Take back that the file at this path is allowed.
    case disallow(path: String)
    /// Put a file in the place of a link.
    case replaceLink
    /// Make a file of one's own.
    case makeOwnFile
    /// Take the right to write from others.
    case restrictFile
    /// Use the keys that project files have.
    case useProjectFileKeys

    // MARK: Bundles, backups and other programs' files
    /// Give an identity that the bundle is for: for a backup, the recovery key of its vault.
    case giveBundleIdentity
    /// Write the backup to another folder.
    case backUpElsewhere
    /// Name the file in the folder.
    case nameFileWithin
    /// Take all rights to the file from others.
    case keepFileToOneself
    /// Take the right to write to the file from others.
    case letNobodyElseWrite
    /// Make a folder, or name a file in its place.
    case makeFolder(String)
    /// Do it without the backup that comes first.
    case goOnWithoutBackup
    /// Take the other groups of a bundle alone.
    case chooseGroups
    /// List the accounts of a backup.
    case listBackup(String)
    /// Restore the backup, or check it.
    case restoreOrVerify
    /// Give a recovery key of the vault that the backup is of, or take it as a stranger's.
    case proveBackup
    /// Import the bundle.
    case importBundle
    /// Convert the property list to its binary form.
    case convertPropertyList
    /// Have the program that keeps it decrypt it, or write it out.
    case decryptFirst(Keeper)

    /// Who keeps tokens in a form that is not read.
    public enum Keeper: Hashable, Sendable {
        /// oidc-agent, in its files of accounts.
        case oidcAgent
        /// GnuPG, for whatever script.
        case gnuPG
    }

    // MARK: The Secret Service
    /// What is wrong with the Secret Service.
    public enum ServiceTrouble: Hashable, Sendable {
        /// libsecret is not installed.
        case noLibrary
        /// There is no session bus.
        case noBus
        /// Nothing on the bus is a Secret Service.
        case noService
        /// It does not answer.
        case timedOut
        /// It is locked.
        case locked
        /// It has no default collection.
        case noCollection
        /// What is looked for is not in it.
        case noItem
        /// It refused.
        case refused
        /// It takes no item of that size.
        case tooLarge
        /// It gives back other bytes than it was given.
        case damaged
        /// It could not finish.
        case interrupted
    }
    /// What the Secret Service was used for.
    public enum ServiceUse: Hashable, Sendable {
        /// To unlock a vault that other keys open as well.
        case unlocking
        /// For the records of a vault that is to be made there.
        case making
        /// To unlock a vault that is to be made.
        case unlockingNew
        /// For the records of a vault, which lie there alone.
        case records
        /// To take a vault's records, which lie elsewhere.
        case moving
        /// For what other tools keep there.
        case importing
    }
    /// Mend what is wrong with the Secret Service, or do without it.
    case mendService(ServiceTrouble, ServiceUse)
    /// Do the same again where what was begun was not completed by then.
    case repeatChange
    /// Move the records into a file of Keyfob's own.
    case moveToFile
    /// Use the database again from which the records were moved.
    case goBackToDatabase
    /// See whether this vault is an old copy, or overwrite what is newer.
    case overwriteNewer
    /// Remove the items by hand, unless another copy of the vault uses them.
    case removeItemsByHand

    // MARK: Sync
    /// Begin a sync, or join one.
    case beginSync
    /// Join the sync anew, as a device of its own.
    case joinSyncAgain
    /// Synchronise, once another device has let this one in.
    case synchronise
    /// Ask to be let in on the other device, and wait until what it wrote is here.
    case askForSync
    /// See who takes part in the sync.
    case showSync
    /// See who takes part in the sync, or leave it.
    case leaveSync
    /// Join the sync that is there, or name another place.
    case joinSync
    /// Say where the password of etcd's user is.
    case giveEtcdPassword
    /// See which remotes rclone knows, or set one up.
    case listRemotes
    /// Make the repository of a sync.
    case makeRepository(String)
    /// Say where the sync's files are on this machine.
    case namePlace
    /// Have the place of a sync there again, or leave the sync.
    case reachPlace
    /// Install the program.
    case installProgram
    /// See with this command of another program's what it says, and try again.
    case tryByHand([String])
    /// Look at what lies at the place, and who can write there.
    case inspectPlace

    /// The words of whoever uses the library and makes errors of its own; none of the library's own has them.
    case words(String)
    /// What another process of Keyfob's advises: the name that documents give it, and its words.
    case told(code: String, words: String)

    /// Sign in to the account of this name, with these scopes where there are any.
    public static func signIn(_ name: String, _ scopes: ScopeSet) -> Advice {
        .signIn(Continuation(name: name, scopes: scopes))
    }

    /// What a sign-in has to repeat, where the advice is one.
    public var continuation: Continuation? {
        switch self {
        case .signIn(let continuation), .askAdministrator(let continuation): continuation
        default: nil
        }
    }
}
