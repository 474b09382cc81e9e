@testable import Keyfob
import KeyfobRecords
import KeyfobTestSupport
import Testing

/// A keyring with the groups `default`, which nobody else holds, and `tools`, whose key an adversary holds too.
struct AuthorityHome {
    let home: KeyringHome
    let owner: Keyring
    let adversary: Keyring
    let tools: AccessGroup

    init() throws {
        home = try KeyringHome()
        owner = home.keyring
        tools = try home.sharedGroup("tools")
        adversary = try home.opened(keyFile: 2)
    }

    /// Stores an account with a token that is called as the keyring's user called it.
    @discardableResult
    func add(_ name: String, _ token: String, by keyring: Keyring, in groups: [AccessGroup]? = nil) throws -> Account {
        let account = try Account.contoso(name)
        try keyring.store(.access(account), token, for: account, in: groups)
        return account
    }

    /// Writes a setting of `tools` as a program that checks nothing would, with that group's key.
    func write(_ name: String, _ value: String) throws {
        try adversary.withState { state in
            let group = try state.group(tools)
            try adversary.change(&state, group) { try $0.setSetting(name, to: value) }
        }
    }

    func refusal(_ body: () throws -> Void) -> KeyringError? { failure(of: KeyringError.self, body) }
}
