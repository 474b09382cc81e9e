import KeyfobModel
import Testing

@Suite("Mail addresses")
struct MailAddressTests {
    @Test("name and domain, in small letters")
    func parts() throws {
        let address = try #require(MailAddress("Ada.L+git@Contoso.Example"))
        #expect(address.name == "ada.l+git" && address.domain == "contoso.example")
        #expect("\(address)" == "ada.l+git@contoso.example" && address == MailAddress("ada.l+git@contoso.example"))
        #expect(MailAddress("山田@例え.example")?.domain == "例え.example")
    }

    @Test(
        "what is none",
        arguments: [
            "", "ada", "@contoso.example", "ada@", "ada@localhost", "ada@contoso.", "ada@.example", "ada@a..b",
            "ada l@contoso.example", "ada@b@contoso.example", "ada@contoso.example\n", "a\u{0}@contoso.example",
            "a\u{202E}@contoso.example", String(repeating: "a", count: 240) + "@contoso.example",
        ])
    func none(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test(
        "addresses that providers give people who hide theirs stand for a user name there, and nowhere else",
        arguments: [
            ("ada@users.noreply.github.com", ["ada"]), ("4711+ada@users.noreply.github.com", ["4711+ada", "ada"]),
            ("4711-ada@users.noreply.gitlab.com", ["4711-ada", "ada"]), ("4711+@users.noreply.github.com", ["4711+"]),
            ("ada+x@users.noreply.github.com", ["ada+x"]), ("4711+ada@noreply.github.com", []),
            ("ada@contoso.example", []),
        ])
    func hidden(text: String, logins: [String]) throws {
        let address = try #require(MailAddress(text))
        #expect(address.hiddenLogins == logins)
        let provider = String(address.domain.dropFirst("users.noreply.".count))
        if !logins.isEmpty { #expect(address.hiddenLogins(at: provider.uppercased()) == logins) }
        #expect(address.hiddenLogins(at: "idp.example").isEmpty)
    }
}
