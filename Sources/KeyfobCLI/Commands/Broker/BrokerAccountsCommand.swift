internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

struct BrokerAccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List the accounts that the broker has.",
        discussion: """
            They are the broker's own, and no accounts of the vault.

            Example:
              keyfob broker accounts --json

            Exit status: 0 done, 65 an answer that cannot be read, 69 no other broker.
            """)

    @OptionGroup var options: BrokerOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let broker = try options.broker()
        let accounts = try options.asking { () throws(KeyringError) in
            try broker.accounts(clientID: options.clientID)
        }
        if global.json {
            return try JSONOutput.print(BrokerAccountsDocument(accounts, version: broker.version()))
        }
        guard !accounts.isEmpty else { return global.say("nobody is signed in at the identity broker") }
        var table = Table(header: ["ACCOUNT", "NAME", "ID"], yielding: ["NAME", "ID"])
        for account in accounts { table.add([account.name, account.displayName ?? "-", account.id.description]) }
        try StandardOutput.write(lines: table.text)
    }
}

/// `Schemas/broker-accounts.schema.json`.
private struct BrokerAccountsDocument: JSONDocument {
    let formatVersion = 1
    let version: String?
    let accounts: [Account]

    struct Account: Encodable {
        let id: String
        let username: String?
        let name: String?
        let tenant: String?
    }

    init(_ accounts: [SessionBrokerAccount], version: String?) {
        self.version = version
        self.accounts = accounts.map {
            Account(id: $0.id.description, username: $0.username, name: $0.displayName, tenant: $0.realm)
        }
    }
}
