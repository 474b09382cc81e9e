internal import Keyfob
internal import KeyfobFiles

/// What programs can ask of an agent by varlink: this text is what it answers, and what there is.
package enum AgentInterface {
    /// The method with which an owner takes the keys away.
    static let lock = "io.keyfob.Agent.Lock"
    /// What is answered at once, while all other calls wait for the vault: nothing of it needs what they hold.
    static let prompt: Set = [lock, "io.keyfob.Agent.Status", "io.keyfob.Agent.Forget"]
    /// What the owner's command says, for which there is room where programs have taken all; whether it may be done is
    /// found out as ever.
    static let owners = prompt.union(["io.keyfob.Agent.Unlock"])
    /// Where a method is answered: no program's calls fill the threads on which the owner's are.
    static func threads(for method: String) -> WaitingThreads {
        if prompt.contains(method) { return .prompt }
        return owners.contains(method) ? .owner : .shared
    }

    /// The name of the interface.
    package static let name = "io.keyfob.Agent"

    private static let (accountTypes, accountComments) = Record.varlinkHead(AccountRecord.fields)

    /// What every error has.
    private static let what =
        "message: string, code: string, hint: ?string, advice: ?string, candidates: []string, names: []string"

    /// The description, as `org.varlink.service.GetInterfaceDescription` gives it.
    package static let description = """
        # Accounts and tokens of a keyring, for programs that its owner lets have them.
        # Times are seconds since 1970, in UTC.
        interface io.keyfob.Agent

        \(accountTypes)# An account, in one of the keyring's groups.
        \(accountComments)type Account (
        \(Record.varlink(AccountRecord.fields))
        )

        # Where a person signs in. kind: browser or device.
        # With browser, the program opens the url in one of this machine; with device, the person types the code there.
        type Step (
          kind: string,
          url: string,
          code: ?string,
          completeUrl: ?string,
          seconds: ?int
        )

        # How a person continues where a token was refused: what to do, and what a sign-in has to repeat.
        # action: signIn, consent, secondFactor, newPassword, meetPolicy, invitation (to the tenant), administrator (of the
        # tenant, who has to let the account use the client), otherScopes or otherClient. id: by which the owner can continue it
        # for an hour. account is an id, name is the account as it can be typed; empty where they are not known.
        type Continuation (
          id: ?string,
          action: string,
          provider: string,
          account: string,
          name: string,
          group: ?string,
          tenant: ?string,
          client: ?string,
          scopes: []string,
          claims: ?string
        )

        # kind: signedIn, signedOut, renewed, mustSignIn or endsSoon: of a sign-in whose refresh token is about to end, at endsOn.
        type Event (
          kind: string,
          account: string,
          group: string,
          endsOn: ?int
        )

        # The accounts that the program may list.
        method Accounts(groups: ?[]string) -> (accounts: []Account)

        # An access token; the person is asked where nobody has decided whether the program may have it.
        # account is an id, a user name or a label; url is what the token is for; minimumValidity is in seconds.
        # login is the user that the address has: it names the account too, and must agree with account where both are given.
        # tool, directory, remote (of git) and committer say where the request comes from: the choice of the account heeds it. callers are
        # the directories of the programs that called the one that asks, the nearest first: they count where nothing else decides.
        # silent: nobody is asked what the program may have; what is not allowed yet is NotPermitted.
        # chosenAlone: several accounts that fit are Ambiguous also where the program may have one alone; without it that one is taken.
        # allowedHost, with account: a host to which the token may go although it is not its provider's.
        method Token(
          account: ?string,
          login: ?string,
          scopes: ?[]string,
          client: ?string,
          tenant: ?string,
          provider: ?string,
          policy: ?string,
          url: ?string,
          allowedHost: ?string,
          tool: ?string,
          directory: ?string,
          callers: ?[]string,
          remote: ?string,
          committer: ?string,
          groups: ?[]string,
          minimumValidity: ?int,
          forceRefresh: ?bool,
          extendedLifetime: ?bool,
          claims: ?string,
          chosenAlone: ?bool,
          silent: ?bool
        ) -> (
          token: string,
        \(Record.varlink(TokenRecord.fields))
        )

        # The account that a request means, of those that the program may list; no token is got.
        method Select(
          account: ?string,
          login: ?string,
          scopes: ?[]string,
          client: ?string,
          tenant: ?string,
          provider: ?string,
          policy: ?string,
          url: ?string,
          allowedHost: ?string,
          tool: ?string,
          directory: ?string,
          callers: ?[]string,
          remote: ?string,
          committer: ?string,
          groups: ?[]string
        ) -> (account: Account)

        # Takes a person through a sign-in; the person is asked where nobody has decided whether the program may do that, and a
        # right to it is none to tokens. To be called with 'more': steps come first, and then the account alone.
        method SignIn(
          provider: string,
          scopes: ?[]string,
          client: ?string,
          tenant: ?string,
          account: ?string,
          claims: ?string,
          groups: ?[]string
        ) -> (step: ?Step, account: ?string, group: ?string, client: ?string, scopes: ?[]string)

        # Forgets the keys, and what was allowed until the agent ends.
        method Lock() -> (wasOpen: bool)

        # Takes back what programs ('script:PATH' and so on) were allowed until the agent ends, and says how many permissions there
        # were. What was allowed for good is the vault's: the owner's own command takes that back.
        method Forget(programs: []string, groups: ?[]string) -> (count: int)

        # Opens the vault for so many seconds with its unlocking key, in Base64: the owner's own command calls it.
        method Unlock(vault: string, key: string, seconds: int) -> ()

        # What the agent is, the folder of its vault, and whether it holds keys, of the vault with which id, until when. folder is
        # the folder's device and number, where it is there.
        method Status() -> (
          version: string,
          process: int,
          vault: string,
          folder: ?string,
          isOpen: bool,
          id: ?string,
          until: ?int
        )

        # What happens to the accounts that the program may list. To be called with 'more': the first reply has
        # no event and says that the watch has begun.
        method Monitor() -> (event: ?Event)

        # Each error says what happened in one line, by which code, and what to do about it: hint in words, advice by a name that
        # stays the same. candidates are the accounts, groups or clients that it is about, names the first of them as people read
        # them, where message does not name them. Where a person can continue, it says how.

        # The program may not have this.
        error NotPermitted (\(what))
        # A person has to sign in first.
        error MustSignIn (\(what), continuation: ?Continuation)
        # Several accounts fit: say which.
        error Ambiguous (\(what))
        # There is no such account, group, provider or client.
        error NotFound (\(what))
        # Nothing at hand opens the vault.
        error Locked (\(what))
        # Not now: try again after so many seconds.
        error TryAgain (\(what), seconds: int)
        # Something else, which code names.
        error Failed (\(what), continuation: ?Continuation)

        """

    /// The name and the description of the interface that every varlink service has (varlink.org, "Service").
    static let service = (
        name: "org.varlink.service",
        description: """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()

        """
    )
}
