import Testing

@testable import KeyfobModel

@Suite("Settings in words")
struct SettingWordsTests {
    @Test(
        "say what a setting is, and whether it decides whose token goes where",
        arguments: [
            ("binding:url:h.example:8443/app:g.example%3A1", "binding of url h.example:8443/app at g.example:1", true),
            ("binding:tool:gh:*", "binding of tool gh", true), ("default account", "default account", true),
            ("default client:git.example", "default client of git.example", true),
            ("provider:contoso", "provider contoso", true), ("discovery of x", "setting 'discovery of x'", false),
        ])
    func words(name: String, words: String, decides: Bool) {
        #expect(SettingWords.of(name) == words)
        #expect((SettingWords.decision(name) != nil) == decides)
        #expect(ItemKey(.setting, [name]).description == words)
    }
}
