import Foundation
import Glibc
import KeyfobTestSupport
import Testing

/// What other users of the machine see while somebody signs in.
@Suite("The browser's page", .waitsForPrograms)
struct BrowserPageTests {
    /// A browser that tells what everybody can see, and how its page is kept.
    private static let spy = """
        #!/bin/sh
        printf '%s\\n' "$@" > arguments
        cat /proc/[0-9]*/cmdline 2> errors | tr '\\0' ' ' > lists
        file=${1#file://}
        echo "$(dirname "$file") $(stat -c '%a %u' "$file")" > page
        exec "$PYTHON" VISITOR "$1" alice
        """

    @Test(
        "no argument list holds the state, the nonce, the challenge or the port; the page is private and goes afterwards",
        arguments: [
            ("", "/run/keyfob"), ("env -u XDG_RUNTIME_DIR", "/state/keyfob/pages"),
            ("env XDG_RUNTIME_DIR=/nowhere", "/state/keyfob/pages"),
            ("env PATH=\"$PATH:/snap/bin\"", ""),
        ])
    func argumentLists(_ environment: String, _ folder: String) throws {
        let server = try ProviderServer.shared()
        let home = try SignInPlace(server)
        try home.place.write("bin/spy", Self.spy.replacing("VISITOR", with: ProviderServer.visitorProgram))
        let outcome = try home.run("chmod +x bin/spy; BROWSER=spy \(environment) keyfob login local").expectSuccess()

        let line = try #require(
            outcome.errors.split(separator: "\n").first { $0.contains("/authorize/?") }, "\(outcome)")
        let items = URLComponents(string: line.trimmingCharacters(in: .whitespaces))?.queryItems ?? []
        let redirect = items.first { $0.name == "redirect_uri" }?.value.flatMap { URL(string: $0) }
        let port = try #require(redirect?.port)
        let secrets = try ["state", "nonce", "code_challenge"].map { name in
            try #require(items.first { $0.name == name }?.value, "\(name)")
        }
        let lists = try text(home, "lists")
        for secret in secrets + [":\(port)", "%3A\(port)"] {
            #expect(!lists.contains(secret), "\(secret)")
        }
        let arguments = try text(home, "arguments").trimmingCharacters(in: .newlines)
        #expect(arguments.hasPrefix("file:///") && !arguments.contains("\(port)/"), "\(arguments)")
        // What is looked for in it would be found.
        #expect(lists.contains(arguments), "\(lists)")

        #expect(try text(home, "page") == "\(home.place.path)\(folder) 600 \(getuid())\n")
        let file = try #require(URL(string: arguments)?.path)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("a sign-out leads the browser to its address by a page too, which goes once it was read")
    func signOut() throws {
        let server = try ProviderServer.shared()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        let spy = Self.spy.replacing("exec \"$PYTHON\" VISITOR \"$1\" alice", with: "cat \"$file\" > content")
        try home.place.write("bin/spy", spy)
        let outcome = try home.run("chmod +x bin/spy; BROWSER=spy keyfob logout alice --browser").expectSuccess()
        #expect(outcome.text.isEmpty, "\(outcome)")
        let address = try text(home, "arguments").trimmingCharacters(in: .newlines)
        #expect(address.hasPrefix("file:///"), "\(address)")
        #expect(try !text(home, "lists").contains("\(server.issuer)/logout/"))
        try home.run("until [ -s content ]; do sleep 0.02; done").expectSuccess()
        #expect(try text(home, "content").contains("url=\(server.issuer)/logout/?"))
        #expect(try text(home, "page") == "\(home.place.path)/run/keyfob 600 \(getuid())\n")
        #expect(!FileManager.default.fileExists(atPath: try #require(URL(string: address)?.path)))
    }

    @Test("a sign-out whose page no browser reads says the address")
    func unread() throws {
        let home = try SignInPlace(try ProviderServer.shared())
        try home.signIn("alice")
        let outcome = try home.run("BROWSER=/nowhere keyfob logout alice --browser").expectSuccess()
        #expect(outcome.text.contains("/logout/?"), "\(outcome)")
    }

    private func text(_ home: SignInPlace, _ name: String) throws -> String {
        String(decoding: try home.place.read(name), as: UTF8.self)
    }
}
