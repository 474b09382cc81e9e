import Foundation
import KeyfobTestSupport
import Testing

@Suite("The sample program in Swift", .waitsForPrograms)
struct SampleProgramTests {
    @Test("signs in with a browser, gets tokens without asking, lists the accounts, and synchronises")
    func sample() throws {
        let program = KeyfobBinary.beside("KeyfobSample", variable: "KEYFOB_SAMPLE")
        let home = try SignInPlace(try ProviderServer())
        try home.run("mkdir shared && keyfob sync init -q shared").expectSuccess()
        let first = try home.run("\(SignInPlace.browser("alice")) \(program) local").expectSuccess()
        let lines = first.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 4 && lines.first?.hasPrefix("signed in: alice") == true, "\(first)")
        #expect(lines.dropFirst().first?.hasSuffix("bytes: stored") == true, "\(first)")
        #expect(lines.dropFirst(2).first?.hasSuffix(" signedIn") == true && lines.last == "changes: 0", "\(first)")
        // Nobody is asked again.
        let second = try home.run("BROWSER=false \(program) local").expectSuccess()
        #expect(second.text == lines.dropFirst().map { $0 + "\n" }.joined(), "\(second)")
        let package = ProjectFolder.root.appending(path: "Samples/Program/Sources/Program.swift")
        #expect(try String(contentsOf: package, encoding: .utf8).split(separator: "\n").count <= 25)
        try home.expectSound()
    }

    @Test("says what is wrong where no browser opens, and stores nothing")
    func noBrowser() throws {
        let program = KeyfobBinary.beside("KeyfobSample", variable: "KEYFOB_SAMPLE")
        let home = try SignInPlace(try ProviderServer())
        let outcome = try home.run("BROWSER=no-such-program \(program) local")
        #expect(outcome.status != 0 && outcome.errors.contains("no browser can be opened"), "\(outcome)")
        #expect(try home.run("keyfob account list --json | jq '.accounts | length'").text == "0\n")
    }
}
