import Testing

@testable import KeyfobFiles

@Suite("Where the two programs of an installation lie")
struct InstallationTests {
    @Test(
        "the full program lies beside the folder that the front is in",
        arguments: [
            ("/usr/local/bin/keyfob", "/usr/local"), ("/bin/keyfob", ""), ("/a/b/c (deleted)", "/a"), ("keyfob", ""),
        ])
    func place(front: String, prefix: String) {
        #expect(Installation.fullProgram(of: front) == prefix + "/libexec/keyfob/keyfob")
    }
}
