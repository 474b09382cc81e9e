import Foundation
import KeyfobTestSupport
import Testing

/// From an empty home to a token, with a well-known client, by what the command says and nothing else.
///
/// The provider is GitHub as Tests/Guides/internet.py plays it, behind a proxy and a certificate that the environment
/// names: the command has no way to be told another client of GitHub's.
@Suite("The first sign-in", .waitsForPrograms)
struct FirstSignInTests {
    private struct Run: Decodable {
        let typed: [String]
        let screens: [String]
        let statuses: [Int32?]
    }

    @Test("four commands, of which each names the next, with a program's client")
    func firstSignIn() throws {
        let place = try Workplace()
        let outcome = try place.python("first_sign_in")
        let run = try JSONDecoder().decode(Run.self, from: outcome.output)
        #expect(run.statuses == [66, 0, 0, 0], "\(run)")
        try #require(run.screens.count == 4)
        #expect(run.screens[0].contains("make one with 'keyfob init'"), "\(run)")
        #expect(run.screens[2].contains("signing in by a code, as GitHub CLI does"), "\(run)")
        #expect(
            run.screens[2].contains("WDJB-MJHT") && run.screens[2].contains("ada signed in (group default)"), "\(run)")
        #expect(run.screens[3].contains(/gho_[0-9a-f]{36}/), "\(run)")
        #expect(run.typed.count == 9, "\(run)")
    }
}
