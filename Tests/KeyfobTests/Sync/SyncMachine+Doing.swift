import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob
@testable import KeyfobRecords

// What people do on a machine, by the writers that ship.

extension SyncMachine {
    @discardableResult
    func change<Result: Sendable>(
        in group: AccessGroup = .default, _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        clock.advance(by: 1)
        return try keyring.withState { state in try keyring.change(&state, try state.group(group), body) }
    }

    /// Signs in; the epoch that begins.
    @discardableResult
    func signIn(_ account: Account, client: String = "mailer", token: String, in group: AccessGroup = .default) throws
        -> UInt64
    {
        let credential = Credential.refresh(account, client: client)
        return try change(in: group) { writer in
            _ = try writer.save(account, from: .signIn)
            _ = try writer.save(credential, secret: secret(token), from: .signIn)
            return try writer.grant(GrantKey(credential))?.grant?.epoch ?? 0
        }
    }

    /// Puts another refresh token in the place of one, where there is one; whether there was.
    @discardableResult
    func refresh(_ account: Account, client: String = "mailer", token: String) throws -> Bool {
        let key = GrantKey(.refresh(account, client: client))
        return try change { writer in
            guard let credential = try writer.grant(key), credential.grant?.state == .active else { return false }
            try writer.replaceGrant(key, secret: secret(token)) { credential in
                // As a refresh that brings another token notes it; one of Google's stays the same, and is shared here.
                let rotates = account.id.environment == "accounts.google.com" ? credential.grant?.rotates : true
                credential.changeGrant { ($0.generation, $0.rotates) = ($0.generation + 1, rotates) }
            }
            return true
        }
    }

    /// Signs out; what was ended, by its epoch.
    @discardableResult
    func signOut(_ account: Account, client: String = "mailer") throws -> UInt64? {
        try change { writer in
            try writer.signOut(client, of: account.id, leavesMark: false) { _, _ in }
            return try writer.grant(GrantKey(.refresh(account, client: client)))?.grant?.epoch
        }
    }

    /// What is known of a sign-in.
    func grant(_ account: Account, client: String = "mailer") throws -> Grant? {
        try change { try $0.grant(GrantKey(.refresh(account, client: client)))?.grant }
    }

    /// Everything in a group: records, and the secrets beside them.
    func items(in group: AccessGroup = .default) throws -> [ItemKey: (item: ItemRecord, secret: [UInt8]?)] {
        try change(in: group) { writer in
            var items: [ItemKey: (item: ItemRecord, secret: [UInt8]?)] = [:]
            let isWhole = try writer.forEachItem(of: group) { result, secrets in
                let found = try result.get()
                items[found.item.key] = (
                    found.item, found.hasSecret ? contents(of: try secrets.secret(of: found)) : nil
                )
            }
            #expect(isWhole)
            return items
        }
    }

    func setting(_ name: String) throws -> String? { try change { try $0.setting(name) } }

    func set(_ name: String, to value: String?) throws { try change { try $0.setSetting(name, to: value) } }
}

extension Account {
    /// An account of Google's, whose refresh tokens are not replaced at each use.
    static func google(_ name: String) throws -> Account {
        let id = try #require(AccountID(homeAccountID: "\(name)-uid", environment: "accounts.google.com"))
        return Account(id: id, username: "\(name)@google.example")
    }
}
