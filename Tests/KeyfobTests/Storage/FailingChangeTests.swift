import Foundation
import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

/// Lets every call to the service fail in turn, for each kind of change.
@Suite("Changes of which one call fails")
struct FailingChangeTests {
    /// What is done to a vault with Ada, labelled, and Bob.
    enum Change: String, CaseIterable {
        case storeNew, storeOver, label, comeBack, remove, removeKeeping, undo, setDefault, bind, createGroup,
            renameGroup, removeGroup, move

        func make(_ keyring: Keyring, _ ada: Account, _ bob: Account) throws {
            let work = try AccessGroup("work")
            switch self {
            case .storeNew:
                let eve = try Account.contoso("eve")
                try keyring.store(.refresh(eve), "refresh of eve", for: eve)
            case .storeOver: try keyring.store(.access(ada, expires: 7_200), "newer", for: ada)
            case .label: try keyring.accounts.setLabel("chief", of: ada.id, in: .default)
            case .remove: _ = try keyring.accounts.removeForGood(ada.id, from: .default)
            case .removeKeeping:
                let policy = UndoPolicy.keep(keyring.undo.command("account remove"))
                _ = try keyring.accounts.remove(ada.id, from: .default, undo: policy)
            case .undo:
                if try keyring.accounts.list().contains(where: { $0.account == bob }), try keyring.undo.taken().isEmpty
                {
                    let policy = UndoPolicy.keep(keyring.undo.command("account remove"))
                    _ = try keyring.accounts.remove(bob.id, from: .default, undo: policy)
                }
                _ = try keyring.undo.undoTaken()
            case .setDefault: try keyring.accounts.setDefault(ada.id, in: .default)
            case .bind: try keyring.bindings.set(.directory("/srv/project"), to: .account(ada.id), in: .default)
            case .createGroup: try keyring.groups.create(AccessGroup("new"))
            case .renameGroup: try keyring.groups.rename(work, to: AccessGroup("renamed"))
            case .removeGroup: _ = try keyring.groups.remove(work)
            case .move: _ = try keyring.accounts.move(ada.id, from: .default, to: work)
            case .comeBack:
                // A tombstone becomes a record again.
                if try keyring.accounts.list().contains(where: { $0.account == bob }) {
                    _ = try keyring.accounts.removeForGood(bob.id, from: .default)
                }
                try keyring.store(.refresh(bob), "again", for: bob)
            }
        }

        /// Whether Ada's account goes.
        var removes: Bool { self == .remove || self == .removeKeeping }
        /// Whether it takes Bob away first, so that he may be gone in between.
        var isOfTwo: Bool { self == .comeBack || self == .undo }

        /// What a second attempt may say when the first had come so far that there is nothing to do.
        var done: Set<KeyringError.Code> {
            switch self {
            case .createGroup: [.alreadyExists]
            case .renameGroup, .removeGroup: [.noSuchGroup]
            case .remove, .removeKeeping: [.noSuchAccount]
            case .undo: [.noSuchEntry]
            case .move: [.noSuchAccount, .alreadyExists]
            default: []
            }
        }
    }

    @Test(
        "leave what was there, or what was to be, and can be made again", arguments: Change.allCases, ["once", "from"])
    func failing(change: Change, mode: String) throws {
        let refusing = try RefusingSession()
        // All that fail from some call on are alike but for where they begin.
        let step = mode == "from" ? TestLength.rounds(6, full: 1) : 1
        var number = 1
        while try !attempt(change, "refuse \(mode) \(number)", refusing) { number += step }
        #expect(number > 4)
    }

    /// - Returns: Whether the change was made with fewer calls.
    private func attempt(_ change: Change, _ order: String, _ refusing: RefusingSession) throws -> Bool {
        // So that the service has one vault to search, not one more each time.
        try refusing.forget()
        let home = try KeyringHome(in: refusing.session)
        let (ada, bob) = (try Account.contoso("ada", label: "boss"), try Account.contoso("bob"))
        try home.keyring.groups.create(AccessGroup("work"))
        try home.keyring.store(.refresh(ada), "refresh of ada", for: ada)
        try home.keyring.store(.access(ada), "token", for: ada)
        try home.keyring.store(.refresh(bob), "refresh of bob", for: bob)
        try refusing.order(order)
        let error = failure(of: KeyringError.self) { try change.make(home.keyring, ada, bob) }
        try refusing.order("")
        guard refusing.hasRefused else {
            #expect(error == nil)
            return true
        }
        let comment: Comment = "\(order): \(String(describing: error))"
        #expect(error == nil || error?.code == .unavailable, comment)
        let isPartly = error?.message.contains("a part of the change was made") == true
        let opened = try home.opened()
        #expect(opened.takeWarnings() == [], comment)
        try expectNothingLost(change, opened, ada, bob, comment)
        // Of two changes, it may have been the first.
        if isPartly, !change.isOfTwo { try expectMade(change, opened, ada, comment) }
        if !isPartly, !change.isOfTwo {
            #expect(try opened.health.verify().problems == [], comment)
        }
        guard error != nil else {
            // One refusal was of no consequence.
            try expectMade(change, opened, ada, comment)
            return false
        }
        // The same again completes it.
        let second = failure(of: KeyringError.self) { try change.make(opened, ada, bob) }
        #expect(second == nil || change.done.contains(second?.code ?? .fault), comment)
        _ = try opened.health.repair()
        let last = try home.opened()
        #expect(try last.health.verify().problems == [], comment)
        if second == nil { try expectMade(change, last, ada, comment) }
        return false
    }

    /// Whatever is not to go is there, somewhere.
    private func expectNothingLost(
        _ change: Change, _ keyring: Keyring, _ ada: Account, _ bob: Account, _ comment: Comment
    ) throws {
        var kinds: Set<Credential.Kind> = []
        for group in try keyring.groups.list().map(\.name) {
            for account in try keyring.accounts.list(in: [group]) where account.account.id == ada.id {
                kinds.formUnion(try keyring.accounts.credentials(of: ada.id, in: group).map(\.kind))
            }
        }
        if !change.removes { #expect(kinds == [.refreshToken, .accessToken], comment) }
        if !change.isOfTwo {
            #expect(try keyring.accounts.credentials(of: bob.id, in: .default).map(\.kind) == [.refreshToken], comment)
        }
        if !change.removes, change != .move {
            let token = try keyring.tokenText(TokenRequest(account: ada.id.description))
            #expect(token == "token" || change == .storeOver && token == "newer", comment)
        }
    }

    private func expectMade(_ change: Change, _ keyring: Keyring, _ ada: Account, _ comment: Comment) throws {
        let name = TokenRequest(account: ada.id.description)
        switch change {
        case .storeNew: #expect(try keyring.accounts.list().count == 3, comment)
        case .storeOver: #expect(try keyring.tokenText(name) == "newer", comment)
        case .label:
            #expect(try keyring.tokenText(TokenRequest(account: "chief")) == "token", comment)
            #expect(keyring.refusal(TokenRequest(account: "boss")) == .noSuchAccount, comment)
        case .remove, .removeKeeping: #expect(keyring.refusal(name) == .noSuchAccount, comment)
        case .setDefault: #expect(try keyring.tokenText(TokenRequest()) == "token", comment)
        case .bind: #expect(try keyring.bindings.list().count == 1, comment)
        case .createGroup: #expect(try keyring.groups.list().count == 3, comment)
        case .renameGroup: #expect(try keyring.groups.list().map(\.name.name) == ["default", "renamed"], comment)
        case .removeGroup: #expect(try keyring.groups.list().count == 1, comment)
        case .move: #expect(try keyring.tokenText(name, in: [AccessGroup("work")]) == "token", comment)
        case .comeBack, .undo: #expect(try keyring.accounts.list().count == 2, comment)
        }
    }
}
