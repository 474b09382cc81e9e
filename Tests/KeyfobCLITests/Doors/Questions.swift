// What each door is asked. A line is there for a kind of answer; codes and advice that none of these has are listed at the end.

extension ContractTests {
    private static let long = String(repeating: "x", count: 1_025)
    private static let guest = House.guestTenant
    private static let challenge = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    /// In a vault that is open.
    static let usual: [Question] =
        lists + named + destinations + nobody + several + ended + renewed + refused + senseless

    private static let lists: [Question] = [
        Question(.accounts), Question(.accounts, ["group": "default"]), Question(.accounts, ["group": "play"]),
        Question(.accounts, ["group": "play", "group": "default"]), Question(.accounts, ["group": "nowhere"]),
    ]

    /// Found by id, user name and label; by what else is asked; and back from a sign-out.
    private static let named: [Question] = [
        Question(.token, ["account": "ada@git.example"]), Question(.token, ["account": "ada"]),
        Question(.token, ["account": "work ada"]), Question(.token, ["account": "ADA"]),
        Question(.token, ["account": "bea", "scope": "gist"]),
        Question(.token, ["account": "bea", "scope": "gist", "scope": "repo"]),
        Question(.token, ["account": "twin@other.example"]), Question(.token, ["account": "eve"]),
        Question(.token, ["account": "eve", "group": "play"]), Question(.token, ["scope": "fun"]),
        Question(.token, ["scope": "gist"]), Question(.token, ["account": "undone"]),
        Question(.token, ["account": "ada", "min-validity": "86400"]),
        Question(.token, ["account": "ada", "extended-lifetime": "true"]),
        Question(.token, ["account": "ada", "offline": "true"], without: [.agent: .offline]),
        // At home, where a guest was before, and where nobody has been.
        Question(.token, ["account": "person0", "scope": "mail.read"]),
        Question(.token, ["account": "person0", "scope": "mail.read", "tenant": "tenant-two"]),
        Question(
            .token, ["account": "person0", "scope": "mail.read", "tenant": "tenant-two", "offline": "true"],
            without: [.agent: .offline]),
    ]

    /// By where it goes.
    private static let destinations: [Question] = [
        Question(.token, ["account": "ada", "url": "https://git.example/x"]),
        Question(.token, ["url": "https://ada@git.example/x"]), Question(.token, ["url": "https://play.example/"]),
        Question(.token, ["url": "https://api.bound.example/x/y"]),
        Question(.token, ["account": "ada", "url": "https://bea@git.example/x"]),
        Question(.token, ["account": "ada", "url": "https://elsewhere.example/"]),
        Question(.token, ["account": "ada", "url": "http://git.example/"]),
        Question(
            .token,
            ["account": "ada", "url": "https://elsewhere.example/", "allow-host": "https://elsewhere.example"],
            without: [.agent: .onceAllowed]),
        Question(.token, ["url": "https://nobody.example/"]),
        Question(.token, ["url": "https://signed.out.example/"]),
        Question(.token, ["url": "https://moved.example/"], without: [.agent: .removed]),
    ]

    private static let nobody: [Question] = [
        Question(.token, ["account": "nobody"]), Question(.token, ["account": "nobody@git.example"]),
        Question(.token, ["account": "ada", "group": "play"]),
        Question(.token, ["account": "eve", "group": "default"]),
        Question(.token, ["group": "nowhere"]), Question(.token, ["scope": "none-such", "group": "play"]),
        Question(.token, ["scope": "none-such", "scope": "a b", "group": "play", "group": "default", "tool": "gh"]),
        Question(
            .token, ["tenant": "nowhere", "client": "none", "url": "https://git.example/x y"],
            without: [.agent: .otherNames]),
        Question(.token, ["account": "ada", "client": "none", "group": "default"]),
        Question(.token, ["account": "ada", "scope": "admin"]), Question(.token, ["account": "ada", "client": "none"]),
        Question(.token, ["account": "ada", "tenant": "contoso"]),
        Question(.token, ["account": "ada", "resource": "https://graph.example"]),
        Question(.token, ["account": "moved"], without: [.agent: .removed]),
        Question(
            .token, ["account": "person0", "authority": "https://login.example/none"], without: [.agent: .otherNames]),
    ]

    /// Each with its choices.
    private static let several: [Question] = [
        Question(.token), Question(.token, ["account": "twin"]), Question(.token, ["scope": "repo"]),
        Question(.token, ["scope": "one"]), Question(.token, ["tool": "none-such"]),
        Question(.token, ["group": "play"]), Question(.token, ["account": "both"]),
        Question(.token, ["account": "person", "scope": "mail.read"]),
        Question(.token, ["account": "many"]), Question(.token, ["account": "many", "client": "second"]),
        Question(.token, ["account": "mixed"]), Question(.token, ["account": "mixed", "scope": "dance"]),
    ]

    /// Signed out, with or without a way back, expired, about to expire.
    private static let ended: [Question] = [
        Question(.token, ["account": "gone"]), Question(.token, ["account": "spent"]),
        Question(.token, ["account": "bob@127.0.0.1"]), Question(.token, ["account": "old"]),
        Question(.token, ["account": "old", "extended-lifetime": "true"]),
        Question(.token, ["account": "old", "offline": "true"], without: [.agent: .offline]),
        Question(.token, ["account": "brief"]), Question(.token, ["account": "brief", "min-validity": "600"]),
        Question(.token, ["account": "brief", "min-validity": "7200"]),
        Question(.token, ["account": "brief", "min-validity": "7200", "offline": "true"], without: [.agent: .offline]),
        Question(.token, ["account": "brief", "force-refresh": "true"]),
        Question(.token, ["account": "ada", "claims": #"{"access_token":{}}"#]),
        Question(.token, ["account": "alice", "scope": "mail", "offline": "true"], without: [.agent: .offline]),
    ]

    /// Of a provider: each door renews the token that the next one finds.
    private static let renewed: [Question] = [
        Question(.token, ["account": "alice"], isRenewed: true),
        Question(.token, ["account": "alice", "scope": "openid"], isRenewed: true),
        Question(.token, ["account": "alice", "force-refresh": "true"], isRenewed: true),
        Question(.token, ["account": "alice", "scope": "admin"]),
        Question(.token, ["account": "alice", "claims": #"{"access_token":{}}"#], isRenewed: true),
        Question(.token, ["account": "alice", "tenant": "contoso", "force-refresh": "true"]),
        Question(.token, ["account": "person1", "scope": "mail.read", "claims": challenge], isRenewed: true),
        Question(
            .token, ["account": "person1", "scope": "mail.read", "tenant": guest, "force-refresh": "true"],
            isRenewed: true),
        // No token of the provider's lasts as long: each door gets another one.
        Question(.token, ["account": "person1", "scope": "mail.read", "min-validity": "80000"], isRenewed: true),
    ]

    /// Of a request, a tenant, a client there, a policy, a sign-in; with and without claims that a sign-in has to repeat.
    private static let refused: [Question] = [
        Question(.token, ["account": "person2", "scope": "mfa.read"]),
        Question(.token, ["account": "person2", "scope": "mfa.read", "tenant": guest]),
        Question(.token, ["account": "person2", "scope": "mfa.read", "claims": challenge]),
        Question(.token, ["account": "person5", "scope": "consent.read"]),
        Question(.token, ["account": "person6", "scope": "password.read"]),
        Question(.token, ["account": "person7", "scope": "device.read"]),
        Question(.token, ["account": "person8", "scope": "place.read"]),
        Question(.token, ["account": "person9", "scope": "wrong.read"]),
        Question(.token, ["account": "person10", "scope": "odd.read"]),
        Question(.token, ["account": "person3", "scope": "guest.read", "tenant": guest]),
        Question(.token, ["account": "person3", "scope": "unknown.read", "tenant": "tenant-one"]),
        Question(.token, ["account": "person4", "scope": "grant.read"]),
        Question(.token, ["account": "person4", "scope": "mail.send"]),
    ]

    /// What makes no sense.
    private static let senseless: [Question] = [
        Question(.token, ["account": " "], without: [.agent: .otherNames]),
        Question(.token, ["account": long], without: [.agent: .otherNames]),
        Question(.token, ["account": "ada", "scope": " "], without: [.agent: .otherNames]),
        Question(.token, ["scope": "a", "resource": "https://graph.example"], without: [.agent: .otherNames]),
        Question(.token, ["account": "ada", "claims": "x"]),
        Question(.token, ["url": "https://ada:secret@git.example/x"], without: [.agent: .otherNames]),
        Question(
            .token, ["account": "ada", "url": "https://elsewhere.example/", "allow-host": "other.example"],
            without: [.agent: .otherNames]),
        Question(
            .token, ["allow-host": "elsewhere.example", "url": "https://elsewhere.example/"],
            without: [.agent: .otherNames]),
        Question(
            .token, ["authority": "https://login.microsoftonline.com/a", "tenant": "b"],
            without: [.agent: .otherNames]),
        Question(.accounts, ["group": "a/b"], without: [.agent: .otherNames]),
    ]
}
