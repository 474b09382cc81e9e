import Foundation
import KeyfobTestSupport
import Testing

@Suite("A client that was removed", .waitsForPrograms)
struct RemovedClientTests {
    @Test("nobody is signed in with it any more by the account's name, and that is said")
    func removed() throws {
        let home = try SignInPlace(ProviderServer.shared())
        try home.signIn("alice")
        try home.run("keyfob client remove -q \(ProviderServer.publicClient)").expectSuccess()
        let told = "client '\(ProviderServer.publicClient)', with which alice signed in before, was removed"
        let outcome = try home.run("keyfob login --account alice --no-input")
        #expect(outcome.status == 13 && outcome.errors.contains(told), "\(outcome)")
        #expect(outcome.errors.contains("there is no client to sign in with"), "\(outcome)")
        try home.run("keyfob client add -q \(ProviderServer.publicClient) --provider local").expectSuccess()
        let again = try home.run("\(SignInPlace.browser("alice")) keyfob login --account alice").expectSuccess()
        #expect(!again.errors.contains("was removed"), "\(again)")
    }

    @Test("without a browser and a terminal it says where and for how long it waits")
    func waiting() throws {
        let home = try SignInPlace(ProviderServer.shared())
        let outcome = try home.run("keyfob login local --no-browser --no-input --timeout 1")
        #expect(outcome.status == 15 && outcome.errors.contains("Waiting for 1 second until a browser"), "\(outcome)")
        #expect(
            outcome.errors.contains("--timeout waits longer or shorter, and --device needs no browser"), "\(outcome)")
    }
}
