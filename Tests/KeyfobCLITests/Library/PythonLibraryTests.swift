import Foundation
import KeyfobTestSupport
import Testing

@Suite("The module for Python", .waitsForPrograms)
struct PythonLibraryTests {
    @Test("refuses what makes no sense with a code, a text and what to do")
    func hostile() throws {
        let place = try Workplace.withVault(LibraryFile.variables)
        try place.add("ada", token: "ADA", "--scope repo")
        try place.add("bob", token: "BOB", "--scope repo")
        try place.python("library", "hostile")
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("says of a locked vault what opens it, and prints nothing itself")
    func locked() throws {
        let place = try Workplace(LibraryFile.variables)
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try place.run("keyfob add -q --key-file key --account ada --host git.example", text: "ADA").expectSuccess()
        let outcome = try place.python("library", "locked", "key")
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("needs none of the libraries that it works with")
    func without() throws {
        let place = try Workplace.withVault(LibraryFile.variables)
        try place.add("ada", token: "ADA", "--scope repo")
        let script = PythonScript.path("library")
        // Without the site's packages there is none of them.
        try place.run("\(PythonScript.interpreter) -S \(script) without").expectSuccess()
    }
}

@Suite("The module for Python and the libraries that it is for", .waitsForPrograms, .serialized)
struct PythonLibraryNetworkTests {
    // One for all of them, one after the other.
    private static let started = Result { try ProviderServer() }
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try Self.started.get()
        home = try SignInPlace(server, variables: LibraryFile.variables)
        try home.signIn("alice")
    }

    @Test("keyrings of many threads and the command share one refresh")
    func threads() throws {
        let before = try server.refreshes().count
        try home.place.python("library", "threads", server.issuer)
        #expect(try server.refreshes().count == before + 1)
        try home.expectSound()
    }

    @Test("the children of a fork open the keyring again, and can refresh")
    func forks() throws {
        try home.place.python("library", "forks", server.issuer)
        try home.expectSound()
    }

    @Test("requests sends a token where it goes, and another one after a refusal")
    func requests() throws {
        try home.place.python("library", "requests", server.issuer)
        try home.expectSound()
    }

    @Test("azure-core takes it for a credential")
    func azure() throws { try home.place.python("library", "azure", server.issuer) }

    @Test("MSAL's cache is the keyring")
    func msal() throws {
        let server = try ProviderServer(.init(isSecure: true))
        let home = try SignInPlace(server, options: "--environment 127.0.0.1", variables: LibraryFile.variables)
        let authority = try #require(server.authorityFile)
        try home.place.python("library", "msal", server.issuer, authority, ProviderServer.visitorProgram)
        try home.expectSound()
    }
}
