import Foundation
import KeyfobTestSupport
import Testing

/// With MSAL for Python and its extensions, over the item that they keep on desktops.
@Suite("A mirror of the item of the desktop's keyring in which MSAL keeps a cache", .waitsForPrograms)
struct KeyringMirrorTests {
    private let desktop: DesktopPlace

    init() throws {
        desktop = try DesktopPlace(.keyring, ["KEYFOB_KEY_FILE": "key"])
        try desktop.place.makeKey("key")
        try desktop.run("keyfob init --quiet --recovery-file recovery").expectSuccess()
    }

    /// What a program does with the cache of a schema; Debian's PyGObject is Debian's Python's.
    @discardableResult
    private func program(
        _ words: String, schema: String = "msal.cache", location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let packages = "PYTHONPATH=$(echo '\(ProjectFolder.root.path)'/.venv/lib/python3*/site-packages)"
        let (action, people) = (words.prefix { $0 != " " }, words.drop { $0 != " " })
        return try desktop.run(
            "MSAL_SCHEMA=\(schema) \(packages) /usr/bin/python3 '\(PythonScript.path("msal_program"))' \(action) signal\(people)"
        ).expectSuccess(location)
    }

    private func people() throws -> [String] {
        try JSONSerialization.jsonObject(with: program("people").output) as? [String] ?? []
    }

    private func silent(_ person: String, _ action: String = "silent") throws -> (token: String?, requests: Int) {
        let told = try JSONSerialization.jsonObject(with: program("\(action) \(person)").output) as? [String: [Any]]
        return (told?[person]?.first as? String, told?[person]?.last as? Int ?? -1)
    }

    private func token(_ person: String) throws -> String {
        try desktop.run("keyfob token --account \(person)@contoso.example").expectSuccess().text
            .trimmingCharacters(in: .newlines)
    }

    /// Signs somebody in here, as by another program with the same client.
    private func signIn(_ person: String) throws {
        let words = "\(PythonScript.interpreter) \(PythonScript.path("msal_program"))"
        try desktop.run(
            "rm -f other.json; \(words) sign-in other.json \(person) && keyfob import --quiet --bring-back other.json"
        ).expectSuccess()
    }

    @Test("who signs in there appears here and the other way round, and a sign-out here takes the sign-in out")
    func bothWays() throws {
        try program("sign-in ada")
        try signIn("bob")
        var documents = Documents()
        let first = try desktop.run("keyfob mirror msal signal --keyring --force --json").expectSuccess()
        documents.add("mirror", first.text, from: "\(first)")
        let list = try desktop.run("keyfob mirror list --json").expectSuccess()
        documents.add("mirror-list", list.text, from: "\(list)")
        try documents.validate(in: desktop.place)
        #expect(first.text.contains(#""isKeyringItem" : true"#) || first.text.contains(#""isKeyringItem":true"#))
        #expect(try token("ada") == silent("ada").token)
        let bob = try silent("bob")
        #expect(try bob.token == token("bob") && bob.requests == 0)
        #expect(try people() == ["ada", "bob"])

        // Made anew by its program, with more attributes: the mirror finds it.
        try desktop.run(
            "secret-tool lookup xdg:schema msal.cache > copy; secret-tool clear xdg:schema msal.cache; secret-tool store "
                + "--label MSALCache xdg:schema msal.cache MsalClientID Microsoft.Developer.IdentityService "
                + "Microsoft.Developer.IdentityService 1.0.0.0 < copy; rm copy"
        ).expectSuccess()

        // Refreshed there: here too; the mirror knows where it is. The label and the attributes stay.
        let refreshed = try silent("ada", "refresh").token
        try desktop.run("keyfob mirror msal signal --keyring --quiet").expectSuccess()
        #expect(try token("ada") == refreshed)
        let item = try desktop.run("secret-tool search --all xdg:schema msal.cache 2>&1 | grep -e label -e attribute")
            .expectSuccess().text
        #expect(item.contains("label = MSALCache"))
        #expect(item.contains("attribute.MsalClientID = Microsoft.Developer.IdentityService"))
        #expect(item.components(separatedBy: "label = ").count == 2)

        try desktop.run("keyfob logout --quiet --offline --everywhere ada@contoso.example").expectSuccess()
        let ended = try desktop.run("keyfob mirror msal signal --keyring").expectSuccess()
        #expect(ended.errors.contains("taken out of the desktop's keyring"), "\(ended)")
        #expect(try people() == ["bob"])
        try desktop.run("keyfob mirror stop --remove signal").expectSuccess()
        #expect(try people().isEmpty)
    }

    @Test("a program that has the cache open sees what the mirror brings, and base64 stays base64")
    func formsAndSignals() throws {
        try program("sign-in ada")
        let before = try desktop.run("stat -c %Y.%y signal").text
        let plain = "secret-tool lookup xdg:schema msal.cache"
        try desktop.run("\(plain) | base64 -w0 > encoded; secret-tool clear xdg:schema msal.cache").expectSuccess()
        let attributes = "xdg:schema msal.cache MsalClientID Microsoft.Developer.IdentityService"
        try desktop.run("secret-tool store --label MSALCache \(attributes) < encoded").expectSuccess()
        try signIn("bob")
        try desktop.run("keyfob mirror msal signal --keyring --force").expectSuccess()
        #expect(try desktop.run("stat -c %Y.%y signal").text > before)
        let cache = try desktop.run("\(plain) | base64 -d | jq '.Account | length'").expectSuccess()
        #expect(cache.text == "2\n")
    }

    @Test("of several items one has to be named, and what cannot be mirrored is said before anything is asked")
    func refusals() throws {
        let none = try desktop.run("keyfob mirror msal signal --keyring --force")
        #expect(none.status == 66 && none.errors.contains("has no token cache of MSAL's"), "\(none)")
        try program("sign-in ada")
        try program("sign-in eve", schema: "msal.cache.cae")
        let several = try desktop.run("keyfob mirror msal signal --keyring --force")
        #expect(several.status == 11 && several.errors.contains("has 2 token caches of MSAL's"), "\(several)")
        #expect(several.errors.contains("--attribute NAME=VALUE"))
        let line = "keyfob mirror msal signal --keyring --attribute xdg:schema=msal.cache.cae"
        let asked = try desktop.run(line)
        #expect(asked.status == 64 && asked.errors.contains("--force"), "\(asked)")
        try desktop.run(line + " --force").expectSuccess()
        #expect(try token("eve").hasPrefix("access:eve:"))
        #expect(try desktop.run("keyfob token --account ada@contoso.example").status != 0)
        // It keeps to its item.
        try desktop.run("keyfob mirror msal signal --keyring").expectSuccess()
        // A note does not turn it into a file, nor does leaving the option out.
        let plain = try desktop.run("keyfob mirror msal signal --force")
        #expect(plain.status == 73 && plain.errors.contains("say --keyring"), "\(plain)")
        let other = try desktop.run(
            "keyfob mirror msal signal --keyring --attribute xdg:schema=msal.cache --force")
        #expect(other.status == 73 && other.errors.contains("another item"), "\(other)")
        try desktop.run("touch plain.json; echo '{}' > plain.json").expectSuccess()
        let odd = try desktop.run("keyfob mirror msal plain.json --attribute a=b --force")
        #expect(odd.status == 64 && odd.errors.contains("--keyring"), "\(odd)")
        // What is no cache stays as it is.
        try desktop.run("printf nonsense | secret-tool store --label MSALCache xdg:schema odd").expectSuccess()
        let damaged = try desktop.run("keyfob mirror msal odd --keyring --attribute xdg:schema=odd --force")
        #expect(damaged.status == 65, "\(damaged)")
        #expect(try desktop.run("secret-tool lookup xdg:schema odd").text == "nonsense")
        #expect(!damaged.errors.contains("nonsense"))
    }
}
