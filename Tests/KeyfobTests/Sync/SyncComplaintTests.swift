import Testing

@testable import Keyfob

@Suite("What git and rclone complain of")
struct SyncComplaintTests {
    @Test(
        "is told in the line that says why, whoever said it",
        arguments: [
            (
                """
                remote: Invalid username or token. Password authentication is not supported for Git operations.
                fatal: Authentication failed for 'https://github.com/ada/sync/'
                """, "Invalid username or token. Password authentication is not supported for Git operations."
            ),
            (
                """
                git@github.com: Permission denied (publickey).
                fatal: Could not read from remote repository.

                Please make sure you have the correct access rights
                and the repository exists.
                """, "git@github.com: Permission denied (publickey)."
            ),
            (
                """
                Warning: Permanently added 'github.com' (ED25519) to the list of known hosts.
                ERROR: Repository not found.
                fatal: Could not read from remote repository.
                """, "Repository not found."
            ),
            (
                "ssh: Could not resolve hostname git.example: Name or service not known\r\n"
                    + "fatal: Could not read from remote repository.\n",
                "ssh: Could not resolve hostname git.example: Name or service not known"
            ),
            (
                "fatal: unable to access 'https://git.example/x/': Could not resolve host: git.example\n",
                "unable to access 'https://git.example/x/': Could not resolve host: git.example"
            ),
            (
                """
                remote: Resolving deltas: 100% (1/1), done.
                remote: error: GH006: Protected branch update failed for refs/heads/keyfob.
                To https://git.example/x
                 ! [remote rejected] 012 -> keyfob (protected branch hook declined)
                error: failed to push some refs to 'https://git.example/x'
                """, "error: GH006: Protected branch update failed for refs/heads/keyfob."
            ),
            (
                """
                To https://git.example/x
                 ! [remote rejected] 012 -> keyfob (pre-receive hook declined)
                error: failed to push some refs to 'https://git.example/x'
                """, "[remote rejected] 012 -> keyfob (pre-receive hook declined)"
            ),
            (
                "fatal: '/srv/none.git' does not appear to be a git repository",
                "'/srv/none.git' does not appear to be a git repository"
            ),
        ])
    func git(said: String, reason: String) {
        #expect(SyncComplaint.ofGit(said) == reason)
    }

    @Test(
        "of rclone is the last that failed",
        arguments: [
            (
                "2026/11/27 08:14:20 CRITICAL: Failed to create file system for \"nosuch:x\": didn't find section in config file",
                "Failed to create file system for \"nosuch:x\": didn't find section in config file"
            ),
            (
                "2026/11/27 08:14:20 ERROR : a: Failed to copy: 403 Forbidden\n2026/11/27 08:14:21 Failed to copy: 403 Forbidden\n",
                "403 Forbidden"
            ),
            ("something else", "something else"),
        ])
    func rclone(said: String, reason: String) {
        #expect(SyncComplaint.ofRclone(said) == reason)
    }

    @Test("says nothing where nothing was said")
    func nothing() {
        #expect(SyncComplaint.ofGit("") == nil && SyncComplaint.ofRclone("\n \n") == nil)
    }

    @Test(
        "holds no password and no token",
        arguments: [
            "https://ada:SECRET@git.example/x", "https://SECRET@git.example/x",
            "https://git.example/x?private_token=SECRET",
            "fatal: unable to access 'https://ada:SECRET@git.example/x/': 403",
            ":webdav,url=\"https://d.example\",pass=SECRET:sync",
            "remote :s3,secret_access_key=SECRET,region=x:bucket", "x,token='SECRET':y",
            "x,token=\"{\"\"a\"\":1},SECRET\":y",
        ])
    func secrets(text: String) {
        let shown = SyncComplaint.harmless(text)
        #expect(!shown.contains("SECRET"), "\(shown)")
        #expect(SyncComplaint.harmless(shown) == shown)
    }

    @Test(
        "leaves what is no secret as it is",
        arguments: ["ssh://git@git.example/x", "git@git.example:x", "https://git.example/a@b", "drive:keyfob"])
    func harmless(text: String) {
        #expect(SyncComplaint.harmless(text) == text)
    }
}
