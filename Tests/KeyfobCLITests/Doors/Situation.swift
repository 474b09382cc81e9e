/// How things are when doors are asked, what they are asked then, and which of them.
struct Situation: Sendable {
    let name: String
    var doors = Door.allCases
    let questions: [Question]
    /// Variables that are set, with `PLACE` for the house's folder and `DOOR` for the door's name.
    var variables: [String: String] = [:]
    /// Makes it so, for all doors that are asked from then on.
    var prepare: @Sendable (House) throws -> Void = { _ in }
}

extension ContractTests {
    /// Those that have the vault themselves: an agent says of itself how it is opened, and is asked about that alone.
    private static let withoutAgent: [Door] = [.swift, .command, .c, .python]
    private static let few = [Question(.accounts), Question(.token, ["account": "ada"]), Question(.token)]
    private static let homes = [
        "XDG_DATA_HOME": "PLACE/homes/DOOR/data", "XDG_STATE_HOME": "PLACE/homes/DOOR/state",
        "XDG_RUNTIME_DIR": "PLACE/homes/DOOR/run", "KEYFOB_KEY_FILE": "PLACE/second",
    ]

    /// One after the other; what spoils a provider comes last.
    static let situations = [
        Situation(name: "usual", questions: usual),
        Situation(name: "locked", doors: withoutAgent, questions: few, variables: ["KEYFOB_KEY_FILE": ""]),
        Situation(name: "wrong key", questions: few, variables: ["KEYFOB_KEY_FILE": "PLACE/other"]),
        Situation(name: "no key file", questions: few, variables: ["KEYFOB_KEY_FILE": "PLACE/absent"]),
        Situation(
            name: "key of a group",
            questions: [
                Question(.accounts), Question(.accounts, ["group": "default"]), Question(.token, ["account": "robot"]),
                Question(.token, ["account": "ada", "group": "default"]), Question(.token, ["account": "ada"]),
            ], variables: ["KEYFOB_KEY_FILE": "PLACE/ci"]),
        Situation(name: "no vault", doors: withoutAgent, questions: few, variables: ["KEYFOB_VAULT": "PLACE/none"]),
        Situation(name: "broken", doors: withoutAgent, questions: few, variables: ["KEYFOB_VAULT": "PLACE/broken"]),
        // The library for Swift asks no agent.
        Situation(
            name: "not allowed", doors: [.command, .c, .python, .agent],
            questions: [
                Question(.token, ["account": "ada"]), Question(.token, ["account": "nobody"]), Question(.token),
                Question(.token, ["scope": "none-such"]),
            ],
            variables: [
                "KEYFOB_KEY_FILE": "", House.beside: "PLACE/key", "ASK": "./stranger", "SCRIPT": "PLACE/stranger.py",
            ]),
        // What opened it opens the new keys too.
        Situation(
            name: "other keys",
            questions: [
                Question(.token, ["account": "ada"]),
                Question(
                    running: #"keyfob rekey -q --force --key-file key --keep-key-file second "#
                        + #"--recovery-file "$XDG_DATA_HOME/new""#),
                Question(.accounts, without: [.swift: .opensItself]),
                Question(.token, ["account": "ada"], without: [.swift: .opensItself]),
            ], variables: homes),
        // It opens them no more: who had it open is told since when; a command that begins knows its key alone.
        Situation(
            name: "other keys, no key", doors: [.c, .python, .swift],
            questions: [
                Question(.token, ["account": "ada"]),
                Question(
                    running: #"keyfob rekey -q --force --key-file key --recovery-file "$XDG_DATA_HOME/newer""#),
                Question(.accounts), Question(.token, ["account": "ada"]),
            ], variables: homes),
        Situation(
            name: "asked to wait", questions: [Question(.token, ["account": "alice", "force-refresh": "true"])],
            prepare: { try $0.home.server.control(.init(status: 429, retryAfter: "3000")) }),
        Situation(
            name: "untrusted", questions: [Question(.token, ["account": "person0", "force-refresh": "true"])],
            variables: ["KEYFOB_CA_FILE": ""]),
        Situation(
            name: "offline", questions: [Question(.token, ["account": "person0", "force-refresh": "true"])],
            variables: ["HTTPS_PROXY": "http://127.0.0.1:9"]),
        Situation(
            name: "client refused", questions: [Question(.token, ["account": "person3", "scope": "client.read"])]),
    ]

    /// The codes that answers to these requests have.
    static let codes: Set = [
        "signInNeeded", "ambiguous", "locked", "noSuchAccount", "noSuchGroup", "usage", "noVault", "noSuchFile",
        "wrongKey", "groupNotGranted", "offline", "untrustedCertificate", "throttled", "scopesDeclined", "policyNotMet",
        "providerFailed", "hostNotAllowed", "notPermitted", "configuration", "damaged",
    ]

    /// Those of other commands, or of a system that fails, which tests of these have.
    static let codesOfOthers: Set = [
        "noSuchSlot", "noSuchBinding", "noSuchEntry", "noSuchProvider", "noSuchClient", "notUndoable", "cancelled",
        "limitExceeded",
        "rolledBack", "unknownVault", "newerVersion", "unavailable", "alreadyExists", "inputOutput", "diskFull", "busy",
        "needsVaultKey", "lastSlot", "otherAccount", "requestRefused", "notOffered", "unconfirmed", "fault",
        "proofNeeded",
    ]

    /// The advice that answers to these requests give.
    static let advice: Set = [
        "addProviderOrToken", "agreeWithAddress", "allowHost", "allowRefresh", "askAdministrator",
        "askForOtherScopes", "checkNetwork", "chooseAccount", "chooseClient", "chooseGroup", "chooseScopes",
        "createVault", "diagnose", "explainSelection", "giveOtherKey", "listAccounts", "listClients",
        "listGroups", "meetPolicy", "omitCredentials", "omitTenant", "permitProgram", "rebind", "replaceLostKey",
        "signIn", "storeTokenOf", "trustCertificate", "undo", "undoRemoval", "unlock", "useHTTPS",
        "wait",
    ]
}
