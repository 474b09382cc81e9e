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

    @Test(
        "the full program lies beside the folder that the library is in, or where both were built",
        arguments: [
            ("/usr/local/lib/libkeyfob.so.1", "/usr/local"), ("/usr/lib/x86_64-linux-gnu/libkeyfob.so.1", "/usr"),
            ("/usr/lib/aarch64-linux-gnu/libkeyfob.so.1.0", "/usr"), ("/lib/libkeyfob.so.1", ""),
        ])
    func library(path: String, prefix: String) {
        let folder = FileAccess.folder(of: path)
        #expect(
            Installation.fullPrograms(ofLibrary: path) == [prefix + "/libexec/keyfob/keyfob", folder + "/keyfob"])
    }
}
