import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobSecretService
import KeyfobTestSupport
import Testing

@Suite("Changes that are stopped, with the Secret Service", .waitsForPrograms)
struct StoppedChangeTests {
    private func logPath(_ home: KeyringHome) -> String { home.location.vault + "/changes" }

    private func hasLog(_ home: KeyringHome) -> Bool { FileManager.default.fileExists(atPath: logPath(home)) }

    @Test("a service that ends while the provider answers costs no sign-in")
    func endedService() async throws {
        let session = try SharedSession()
        let home = try SilentHome.atPlainProvider(in: session)
        let strict = ReuseDetection()
        try home.grant("rt1", home.ada)
        home.provider.answer { request in
            try session.withSession { try $0.stopService() }
            return strict.answer(request)
        }
        #expect(try await home.token(home.ada).text == "at2")
        #expect(hasLog(home.home))
        try session.withSession { try $0.restartService() }
        home.provider.answer(by: { strict.answer($0) })
        let opened = try home.opened()
        #expect(!hasLog(home.home))
        #expect(try await home.token(home.ada, from: opened).text == "at2")
        #expect(try opened.health.verify().problems == [])
        home.clock.advance(by: 4_000)
        #expect(try await home.token(home.ada, from: opened).text == "at3")
    }

    @Test("two refreshes that the service never saw are both there in the end")
    func endedTwice() async throws {
        let session = try SharedSession()
        let home = try SilentHome.atPlainProvider(in: session)
        let (bob, strict) = (try SilentHome.plainAccount("bob"), [ReuseDetection(), ReuseDetection()])
        try home.grant("rt1", home.ada)
        try home.grant("rt1", bob)
        for (account, provider) in zip([home.ada, bob], strict) {
            home.provider.answer { request in
                try session.withSession { try $0.stopService() }
                return provider.answer(request)
            }
            #expect(try await home.token(account).text == "at2")
            try session.withSession { try $0.restartService() }
        }
        home.clock.advance(by: 4_000)
        let opened = try home.opened()
        for (account, provider) in zip([home.ada, bob], strict) {
            home.provider.answer(by: { provider.answer($0) })
            #expect(try await home.token(account, from: opened).text == "at3")
        }
        #expect(try opened.health.verify().problems == [])
    }

    @Test(
        "whichever call of a refresh fails, alone or with all after it, the next call has a token",
        arguments: ["once", "from"])
    func refreshing(mode: String) async throws {
        let refusing = try RefusingSession()
        var number = 1
        while try await !refusing.refresh("refuse \(mode) \(number)") { number += 1 }
        #expect(number > 4)
    }

    /// Ada in a vault of her own, and a note of a change that was stopped, which stores Eve's refresh token.
    private struct Stopped {
        let refusing: RefusingSession
        let home: KeyringHome
        let eve: Account

        init() throws {
            refusing = try RefusingSession()
            home = try KeyringHome(in: refusing.session)
            eve = try Account.contoso("eve")
            let ada = try Account.contoso("ada")
            try home.keyring.store(.access(ada), "token of ada", for: ada)
            var number = 1
            while try log() == nil {
                try #require(number < 100)
                try refusing.order("refuse from \(number)")
                _ = try? home.keyring.store(.refresh(eve), "refresh of eve", for: eve)
                number += 1
            }
            try refusing.order("")
        }

        var path: String { home.location.vault + "/changes" }

        func log() throws -> [UInt8]? {
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        }

        func put(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }

        /// Ada's token, which is there whatever becomes of the note.
        func expectToken(_ keyring: Keyring) throws {
            #expect(try keyring.tokenText(TokenRequest(account: "ada@contoso.example")) == "token of ada")
        }
    }

    @Test("what is written down shows no name and no token, and what is no one's is put aside and told")
    func log() throws {
        let stopped = try Stopped()
        var bytes = try #require(try stopped.log())
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("eve") && !text.contains("contoso") && bytes.count > 500)
        bytes[bytes.count / 2] ^= 1
        try stopped.put(bytes)
        let opened = try stopped.home.opened()
        try stopped.expectToken(opened)
        #expect(try opened.health.verify().problems.contains { $0.contains("changes.unreadable") })
        #expect(try opened.health.repair().files.contains { $0.contains("/quarantine/") })
        #expect(try opened.health.verify().problems == [])
    }

    @Test("an old note that is put back brings nothing back that was removed since")
    func oldNote() throws {
        let stopped = try Stopped()
        let bytes = try #require(try stopped.log())
        let opened = try stopped.home.opened()
        #expect(try stopped.log() == nil)
        #expect(try opened.accounts.list().count == 2)
        // As long as nothing was removed since, to make it once more changes nothing.
        try stopped.put(bytes)
        #expect(try stopped.home.opened().accounts.credentials(of: stopped.eve.id, in: .default).count == 1)
        #expect(try stopped.log() == nil)
        _ = try opened.accounts.removeForGood(stopped.eve.id, from: .default)
        try stopped.put(bytes)
        let again = try stopped.home.opened()
        #expect(try again.accounts.list().count == 1)
        #expect(try again.health.verify().orphans == [])
        try stopped.expectToken(again)
        #expect(try again.health.verify().problems.contains { $0.contains("changes.unreadable") })
    }

    @Test("an old note that is put back takes the place of nothing that is newer")
    func oldToken() throws {
        let stopped = try Stopped()
        let bytes = try #require(try stopped.log())
        let (opened, eve) = (try stopped.home.opened(), stopped.eve)
        try opened.store(.access(eve), "newer", for: eve)
        try opened.accounts.setLabel("chief", of: eve.id, in: .default)
        try stopped.put(bytes)
        let again = try stopped.home.opened()
        #expect(try again.tokenText(TokenRequest(account: "chief")) == "newer")
        #expect(try again.accounts.list().count == 2)
        #expect(try again.health.verify().problems == [])
    }

    @Test("a note of another vault is nobody's")
    func foreignNote() throws {
        let (stopped, other) = (try Stopped(), try Stopped())
        try stopped.put(try #require(try other.log()))
        let opened = try stopped.home.opened()
        #expect(try opened.accounts.list().count == 1)
        #expect(try opened.health.verify().problems.contains { $0.contains("changes.unreadable") })
    }

    @Test("where a stopped change can't be completed, what is there can be read, and nothing else is changed before it")
    func obstacle() throws {
        let stopped = try Stopped()
        try stopped.refusing.order("refuse from 1 \(RefusingSession.changes)")
        let opened = try stopped.home.opened()
        try stopped.expectToken(opened)
        let warnings = opened.takeWarnings()
        #expect(warnings.map(\.code) == [.stoppedChange] && warnings.allSatisfy { $0.advice != nil })
        #expect(try opened.health.verify().problems.contains { $0.contains("not complete yet") })
        let refused = failure(of: KeyringError.self) { try opened.groups.create(AccessGroup("new")) }
        #expect(refused?.code == .unavailable && refused?.message.contains("was stopped") == true)
        #expect(refused?.advice != nil)
        try stopped.refusing.order("")
        try opened.groups.create(AccessGroup("new"))
        #expect(try opened.accounts.list().count == 2)
        #expect(try opened.health.verify().problems == [])
    }

    @Test("a stopped change that the service refuses for good is given up by a repair, and kept")
    func refused() throws {
        let stopped = try Stopped()
        try stopped.refusing.order("refuse from 1 CreateItem")
        let opened = try stopped.home.opened()
        let refused = failure(of: KeyringError.self) { try opened.groups.create(AccessGroup("new")) }
        #expect(refused?.advice == .repair)
        #expect(try opened.health.repair().files.contains { $0.contains("/quarantine/") })
        // That a group was made can be undone, which is an item of its own.
        try stopped.refusing.order("")
        try opened.groups.create(AccessGroup("new"))
        #expect(try opened.accounts.list().count == 1)
        #expect(try opened.health.verify().problems == [])
    }

    @Test("a move that is stopped at whichever call is completed by whoever looks next", arguments: ["once", "from"])
    func moving(mode: String) throws {
        let refusing = try RefusingSession()
        let (ada, work) = (try Account.contoso("ada"), try AccessGroup("work"))
        var (number, isRefused) = (0, true)
        while isRefused {
            number += 1
            let home = try KeyringHome(in: refusing.session)
            try home.keyring.groups.create(work)
            try home.keyring.store(.refresh(ada), "refresh of ada", for: ada)
            try home.keyring.store(.access(ada), "token", for: ada)
            try refusing.order("refuse \(mode) \(number) \(RefusingSession.changes)")
            let error = failure(of: KeyringError.self) {
                _ = try home.keyring.accounts.move(ada.id, from: .default, to: work)
            }
            try refusing.order("")
            isRefused = error != nil
            let opened = try home.opened()
            let isMoved = try opened.accounts.list(in: [work]).contains { $0.account.id == ada.id }
            #expect(isMoved == (number > 1), "\(mode) \(number)")
            #expect(try opened.accounts.list(in: [.default]).isEmpty == isMoved, "\(mode) \(number)")
            let kinds = try opened.accounts.credentials(of: ada.id, in: isMoved ? work : .default).map(\.kind)
            #expect(Set(kinds) == [.refreshToken, .accessToken], "\(mode) \(number)")
            let report = try opened.health.verify()
            #expect(report.problems == [] && report.orphans == [], "\(mode) \(number)")
        }
        #expect(number > 4)
    }

    @Test(
        "a setting that takes the place of another is one of both, whichever call fails", arguments: ["once", "from"])
    func setting(mode: String) throws {
        let refusing = try RefusingSession()
        let accounts = try [Account.contoso("ada"), Account.contoso("bob")]
        var (number, isRefused) = (0, true)
        while isRefused {
            number += 1
            let home = try KeyringHome(in: refusing.session)
            for account in accounts { try home.keyring.store(.access(account), "token", for: account) }
            try home.keyring.accounts.setDefault(accounts[0].id, in: .default)
            try refusing.order("refuse \(mode) \(number) \(RefusingSession.changes)")
            isRefused =
                failure(of: KeyringError.self) { try home.keyring.accounts.setDefault(accounts[1].id, in: .default) }
                != nil
            try refusing.order("")
            let opened = try home.opened()
            let chosen = try opened.accounts.list().filter(\.isDefault).map(\.account)
            #expect(chosen == [accounts[number > 1 ? 1 : 0]], "\(mode) \(number)")
            try opened.accounts.setDefault(accounts[0].id, in: .default)
            #expect(try home.opened().accounts.list().filter(\.isDefault).map(\.account) == [accounts[0]])
            #expect(try opened.health.verify().problems == [], "\(mode) \(number)")
        }
        #expect(number > 2)
    }

    @Test("a database that is locked is told so before anything is searched, where nobody may be asked")
    func lockedFirst() throws {
        let folder = try ScratchFolder()
        let flags = ["accept", "hides-locked", "tells-searches:\(folder.path)/searched"]
        let session = try SharedSession(.misbehaving(flags))
        let home = try KeyringHome(in: session)
        let service = try session.connected()
        try service.lock(service.defaultCollection().path)
        #expect(failure(of: KeyringError.self) { _ = try home.opened() }?.code == .locked)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/searched"))
    }

    @Test("items that are locked one by one are unlocked where the service may ask; where not, that is told")
    func lockedItems() throws {
        let session = try SharedSession(.misbehaving(["items-locked", "accept"]), mayPrompt: true)
        let home = try KeyringHome(in: session)
        let ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada), "token", for: ada)
        let quiet = SecretServiceOptions(environment: session.environment, deadline: .seconds(60))
        let request = TokenRequest(account: "ada@contoso.example")
        let unasked = failure(of: KeyringError.self) {
            _ = try LockedKeyring(at: home.location, clock: .standing(at: noon))
                .unlock(with: .secretService(quiet)).tokenText(request)
        }
        #expect(unasked?.code == .locked, "\(String(describing: unasked))")
        #expect(unasked?.advice == .allowPrompt)
        #expect(try home.opened().tokenText(request) == "token")
    }

    @Test("attributes of the service's own, which nobody may write, are left alone")
    func ownAttributes() throws {
        let session = try SharedSession(.misbehaving(["own-attributes"]))
        let home = try KeyringHome(in: session)
        let (ada, work) = (try Account.contoso("ada"), try AccessGroup("work"))
        try home.keyring.groups.create(work)
        try home.keyring.store(.access(ada), "token", for: ada, in: [work])
        try home.keyring.groups.rename(work, to: AccessGroup("job"))
        let opened = try home.opened()
        #expect(try opened.tokenText(TokenRequest(account: "ada@contoso.example"), in: [AccessGroup("job")]) == "token")
        let item = try home.items().record(["xdg:schema": "io.keyfob.AccessToken"])
        #expect(try home.items().label(item).hasPrefix("Keyfob job:"))
        try home.items().change(item) { attributes in
            attributes = attributes.filter { !["Uuid", "Path"].contains($0.key) }
            attributes["record"] = "x"
        }
        #expect(try opened.health.repair().files.count == 1)
        #expect(try opened.health.verify().problems == [])
    }
}
