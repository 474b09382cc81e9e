import KeyfobModel
import Testing

@Suite("Schemes of an app's own")
struct PrivateUseSchemeTests {
    @Test(
        "a name with a period, or Microsoft's with a client id",
        arguments: ["io.keyfob", "com.example.my-app", "a.b+c", "msal0d1e2f3a-aaaa-bbbb-cccc-000011112222"])
    func schemes(_ text: String) {
        #expect(PrivateUseScheme(text)?.description == text)
        #expect(PrivateUseScheme(ofRedirectURI: text + ":/callback")?.description == text)
        #expect(PrivateUseScheme(ofRedirectURI: text + "://auth") != nil)
    }

    @Test(
        "nothing that others have a meaning for, and nothing that is none",
        arguments: [
            "", "http", "https", "file", "mailto", "javascript", "data", "msal", "msalx", "msal0d1e2f3a", "Io.keyfob",
            ".a",
            "a.", "a..b", "1.a", "a b.c", "a.b:", "é.a", "a.b\n", String(repeating: "a.", count: 40) + "a",
        ])
    func others(_ text: String) { #expect(PrivateUseScheme(text) == nil) }

    @Test(
        "a redirect address has a path, and neither query nor fragment",
        arguments: [
            "io.keyfob", "io.keyfob:", "io.keyfob:callback", "io.keyfob:/a?b", "io.keyfob:/a#b", "io.keyfob:/a b",
            "https://app.example/", "io.keyfob:/" + String(repeating: "a", count: 2_048),
        ])
    func addresses(_ text: String) { #expect(PrivateUseScheme(ofRedirectURI: text) == nil) }
}
