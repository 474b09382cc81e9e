import Foundation
import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobRecords

/// How somebody is signed in again after a sign-out.
enum WayBack: String, CaseIterable, Sendable {
    /// The provider gives a refresh token.
    case refreshToken
    /// The provider gives none, as GitHub's OAuth apps.
    case accessToken
    /// The owner stores a token of the client.
    case stored
    /// The sign-out is undone.
    case undo
}

/// When a backup was made.
enum BackupTime: String, CaseIterable, Sendable {
    case signedIn, signedOut, signedInAgain
}

@Suite("A sign-out that a sign-in has followed", .eachStorageInFullRun)
struct SignedOutAgainTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
    }

    private func isSignedIn(_ keyring: Keyring) throws -> Bool {
        [.signedIn, .tokensOnly].contains(try #require(try keyring.accounts.list().first).state)
    }

    /// Signs in, with or without a refresh token.
    private func signIn(_ way: WayBack, _ number: Int) async throws {
        home.clock.advance(by: 60)
        if way == .stored { return try home.access("at-\(number)", ada, expires: nil) }
        let refresh = way == .accessToken ? nil : "rt-\(number)"
        _ = try await signInByBrowser(request, home) {
            .tokens("at-\(number)", refresh: refresh, id: TestIDToken(nonce: $0["nonce"]).text)
        }
    }

    private func signOut() async throws {
        home.clock.advance(by: 60)
        let command = home.keyring.undo.command("logout")
        _ = try await home.keyring.accounts.signOut(
            ada.id, reach: .everywhere, from: .default, undo: .keep(command), network: nil)
        #expect(try home.opened().accounts.list().map(\.state) == [.signedOut])
    }

    private func back(by way: WayBack) async throws {
        guard way == .undo else { return try await signIn(way, 2) }
        home.clock.advance(by: 60)
        _ = try home.keyring.undo.undo()
    }

    private func backUp(_ time: BackupTime) throws {
        home.clock.advance(by: 60)
        _ = try home.opened().bundles.backUp(to: path(time))
    }

    private func path(_ time: BackupTime) -> String { home.home.folder.path + "/\(time.rawValue).age" }

    private var opener: BundleOpener { .identities(secret(home.home.recoveryKey)) }

    /// Signs in, out and in again, with a backup of each.
    private func live(_ way: WayBack) async throws {
        try await signIn(way, 1)
        try backUp(.signedIn)
        try await signOut()
        try backUp(.signedOut)
        try await back(by: way)
        #expect(try isSignedIn(home.opened()))
        try backUp(.signedInAgain)
    }

    @Test("stays over, whichever backups are restored over it and in which order", arguments: WayBack.allCases)
    func restored(way: WayBack) async throws {
        try await live(way)
        for times in [BackupTime.allCases, BackupTime.allCases.reversed()] {
            for time in times {
                home.clock.advance(by: 60)
                _ = try home.opened().bundles.restore(BundleFile(path: path(time)), with: opener)
                #expect(try isSignedIn(home.opened()), "\(way) after \(time)")
            }
        }
        let problems = try home.opened().health.verify().problems
        #expect(problems == [])
    }

    // A backup has no access tokens that end.
    @Test(
        "is over in a vault that is made of a backup, and of nothing older",
        arguments: [WayBack.refreshToken, .stored, .undo])
    func elsewhere(way: WayBack) async throws {
        try await live(way)
        for time in BackupTime.allCases {
            let place = KeyringLocation(
                vault: home.home.folder.path + "/\(time)/vault", state: home.home.folder.path + "/\(time)/state")
            let made = try Keyring.restore(
                BundleFile(path: path(time)), with: opener, at: place, slot: .keyFile(keyFile(1)),
                clock: home.clock.clock
            ).keyring
            #expect(try isSignedIn(made) == (time != .signedOut), "\(way), \(time)")
            // What that vault then gives back changes nothing here either.
            let back = home.home.folder.path + "/back-\(time).age"
            _ = try made.bundles.backUp(to: back, for: [BundleKeys(home.home).recipient])
            _ = try home.opened().bundles.restore(BundleFile(path: back), with: opener, takingStrangers: true)
            #expect(try isSignedIn(home.opened()), "\(way), back from \(time)")
        }
    }

    @Test("is no change of a backup that was made after it", arguments: WayBack.allCases)
    func difference(way: WayBack) async throws {
        try await live(way)
        let vault = try home.opened().bundles.contents()
        func contents(_ time: BackupTime) throws -> BackupContents {
            try Keyring.Bundles.contents(of: BundleFile(path: path(time)), with: opener, of: home.keyring)
        }
        let later = try contents(.signedInAgain)
        #expect(later.changes(to: vault).isEmpty && vault.changes(to: later).isEmpty)
        let before = try contents(.signedIn).changes(to: later)
        #expect(!before.contains { $0.text.contains("signed out") }, "\(before)")
        let out = try contents(.signedOut).changes(to: later)
        #expect(out.contains { $0.kind == .signIn && $0.text.contains("signed in again") }, "\(out)")
        let backwards = try later.changes(to: contents(.signedOut))
        #expect(backwards.contains { $0.kind == .signIn && $0.text.contains("signed out") }, "\(backwards)")
        #expect(!(before + out + backwards).contains { $0.text.contains(ada.id.description) }, "names, not ids")
    }
}

@Suite("A sign-out that a sign-in has followed, between machines")
struct SignedOutAgainSyncTests {
    /// Signs in as at a provider that gives no refresh tokens.
    private func signIn(_ machine: SyncMachine, _ account: Account, _ token: String) throws {
        try machine.change { writer in
            _ = try writer.save(account, from: .signIn)
            try writer.removeEndedGrants(of: account.id, clientID: "mailer")
            _ = try writer.save(
                Credential(kind: .accessToken, account: account.id, clientID: "mailer", cachedAt: machine.clock.now),
                secret: secret(token), from: .signIn)
        }
    }

    private func signOut(_ machine: SyncMachine, _ account: Account) throws {
        try machine.change { writer in
            try writer.signOut("mailer", of: account.id, leavesMark: true) { _, _ in }
            try writer.removeTokens(of: account.id) { $0.clientID == "mailer" }
        }
    }

    private func state(_ machine: SyncMachine) throws -> Candidate.SignInState? {
        try machine.keyring.accounts.list().first?.state
    }

    @Test("each machine that signed in again stays so, whoever synchronises first", arguments: [true, false])
    func both(isFirst: Bool) throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let ada = try Account.contoso("ada")
        try signIn(one, ada, "at-one")
        try home.settle()
        try signIn(two, ada, "at-two")
        try home.settle()
        try signOut(one, ada)
        try home.settle()
        #expect(try state(one) == .signedOut && state(two) == .signedOut)
        for machine in isFirst ? [one, two] : [two, one] { try signIn(machine, ada, "again-\(machine.name)") }
        for name in isFirst ? ["one", "two"] : ["two", "one"] { try home.sync(name) }
        try home.settle()
        #expect(try state(one) == .tokensOnly && state(two) == .tokensOnly)
        try signOut(two, ada)
        try home.settle()
        #expect(try state(one) == .signedOut && state(two) == .signedOut)
    }
}
