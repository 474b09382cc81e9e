import KeyfobInterop
import Testing

@Suite("Setup's lines for aws, mail programs and direnv")
struct MarkedSetupTests {
    static let ends = ["", "\n", "\r\n"]

    private func expectNoTrace(
        _ text: String, add: ([UInt8]) throws -> SetupPlan, remove: ([UInt8]) throws -> SetupPlan
    ) throws -> String {
        let before = Array(text.utf8)
        let after = try add(before).edit.applied(to: before)
        #expect(after != before)
        #expect(try add(after).edit.isEmpty)
        #expect(try remove(after).edit.applied(to: after) == before, "\(String(decoding: after, as: UTF8.self))")
        return String(decoding: after, as: UTF8.self)
    }

    private static let aws = AWSSetup(profile: "reader", words: ["keyfob", "helper", "aws", "--scope=a b"])

    @Test("a profile of aws comes and goes without a trace", arguments: ends)
    func profile(end: String) throws {
        for text in ["", "# mine\(end)", "[default]\(end.isEmpty ? "\n" : end)region = eu-west-1\(end)"] {
            let after = try expectNoTrace(
                text, add: { try Self.aws.adding(to: $0) }, remove: { try AWSSetup.removing("reader", from: $0) })
            #expect(
                after.contains("[profile reader]")
                    && after.contains("credential_process = keyfob helper aws '--scope=a b'"))
            // A second one, and the first goes before it.
            let other = AWSSetup(profile: "default2", words: ["keyfob"])
            let one = Array(after.utf8)
            let both = try other.adding(to: one).edit.applied(to: one)
            #expect(try AWSSetup.profiles(in: both) == ["reader", "default2"])
            let left = try AWSSetup.removing("reader", from: both).edit.applied(to: both)
            let last = try AWSSetup.removing("default2", from: left).edit.applied(to: left)
            #expect(last == Array(text.utf8))
            let none = try AWSSetup.removing(nil, from: both).edit.applied(to: both)
            #expect(none == Array(text.utf8))
        }
    }

    @Test("what aws has put between stays, with the section")
    func profileKept() throws {
        let after = try Self.aws.adding(to: []).edit.applied(to: [])
        let text = String(decoding: after, as: UTF8.self).replacing(
            "# keyfob setup: end", with: "region = x\n# keyfob setup: end")
        let left = try AWSSetup.removing("reader", from: Array(text.utf8)).edit.applied(to: Array(text.utf8))
        #expect(String(decoding: left, as: UTF8.self) == "[profile reader]\nregion = x\n")
    }

    @Test(
        "a profile of that name that is there stays",
        arguments: ["[profile reader]\n", "[ profile  reader ]\nx = 1\n", "[profile \"reader\"] # a\n", "[reader]\n"])
    func profileTaken(text: String) {
        #expect(throws: SetupFlaw.taken("reader")) { try Self.aws.adding(to: Array(text.utf8)) }
    }

    @Test("what does not begin with a section, or has half of setup's lines, is left alone")
    func unsound() {
        #expect(throws: SetupFlaw.unknownForm("it does not begin as AWS's configuration does")) {
            try Self.aws.adding(to: Array("{}".utf8))
        }
        for text in ["# keyfob setup: begin reader\n[profile reader]\n", "# keyfob setup: end\n"] {
            #expect(throws: SetupFlaw.changed(line: 1)) { try AWSSetup.removing("reader", from: Array(text.utf8)) }
        }
        #expect(
            AWSSetup.isName("a-b_c.d") && !AWSSetup.isName("a]b") && !AWSSetup.isName("") && !AWSSetup.isName("a\nb"))
        #expect(AWSSetup.isPlain("a=b") && !AWSSetup.isPlain("a;b") && !AWSSetup.isPlain("a #b"))
    }

    @Test("lines of a mail program stand behind the account's name, and go without a trace", arguments: ends)
    func mail(end: String) throws {
        let words = ["keyfob", "token", "--account=O'Ada"]
        let msmtp =
            "defaults\ntls on\n\naccount other\nhost h\npassword x\naccount  work : other\nhost smtp.example\(end)"
        let sends = try expectNoTrace(
            msmtp, add: { try MailSetup(.msmtp, entry: "work", .xoauth2, words: words).adding(to: $0) },
            remove: { try MailSetup.removing("work", of: .msmtp, from: $0) })
        #expect(
            sends.contains(
                "work : other\n# keyfob setup: begin work\nauth xoauth2\n"
                    + "passwordeval \"keyfob token '--account=O'\\''Ada'\"\n# keyfob setup: end\nhost smtp"))
        let mbsync = "IMAPAccount other\nPassCmd x\n\nIMAPAccount \"work\"\nHost imap.example\n\nIMAPStore s\(end)"
        let gets = try expectNoTrace(
            mbsync, add: { try MailSetup(.mbsync, entry: "work", .oauthbearer, words: words).adding(to: $0) },
            remove: { try MailSetup.removing("work", of: .mbsync, from: $0) })
        #expect(gets.contains("AuthMechs OAUTHBEARER\nPassCmd \"keyfob token '--account=O'\\\\''Ada'\"\n"))
        let bare = try expectNoTrace(
            "IMAPAccount work\n\nIMAPStore s\(end)",
            add: { try MailSetup(.mbsync, entry: "work", .xoauth2, words: words).adding(to: $0) },
            remove: { try MailSetup.removing("work", of: .mbsync, from: $0) })
        #expect(bare.hasPrefix("IMAPAccount work\n# keyfob setup: begin work\n"))
        let reads = try expectNoTrace(
            "set folder = x\(end)",
            add: {
                try MailSetup(.neomutt, entry: nil, .xoauth2, words: ["keyfob", "token", "--account=$a"]).adding(to: $0)
            },
            remove: { try MailSetup.removing(nil, of: .neomutt, from: $0) })
        #expect(reads.contains("set smtp_oauth_refresh_command = \"keyfob token '--account=\\$a'\""))
    }

    @Test("a mail account that says how its password is got stays, and one that is not there is told")
    func mailTaken() throws {
        func adding(_ program: MailSetup.Program, _ entry: String?, _ text: String) throws -> SetupPlan {
            try MailSetup(program, entry: entry, .xoauth2, words: ["keyfob"]).adding(to: Array(text.utf8))
        }
        #expect(throws: SetupFlaw.taken("auth")) { try adding(.msmtp, "a", "account a\n  auth on\n") }
        #expect(throws: SetupFlaw.taken("passcmd")) { try adding(.mbsync, "a", "IMAPAccount a\nPassCmd x\n") }
        #expect(throws: SetupFlaw.taken("imap_authenticators")) {
            try adding(.neomutt, nil, "set a=1 imap_authenticators=\"login\"\n")
        }
        #expect(throws: SetupFlaw.unknownForm("it has no account 'b'")) { try adding(.msmtp, "b", "account a\n") }
        #expect(throws: SetupFlaw.unknownForm("it has no account 'b'")) { try adding(.mbsync, "b", "IMAPStore b\n") }
        #expect(!MailSetup(.msmtp, entry: "a", .xoauth2, words: ["a\"b"]).isSayable)
    }

    @Test("direnv's function comes and goes without a trace, and another one stays", arguments: ends)
    func direnv(end: String) throws {
        for text in ["", "# mine\(end)"] {
            let after = try expectNoTrace(text, add: DirenvSetup.adding, remove: DirenvSetup.removing)
            #expect(DirenvSetup.isThere(in: Array(after.utf8)))
            let changed = Array(after.replacing("local", with: "declare").utf8)
            #expect(throws: SetupFlaw.self) { try DirenvSetup.removing(from: changed) }
        }
        #expect(throws: SetupFlaw.taken("use_keyfob")) { try DirenvSetup.adding(to: Array("use_keyfob() { :; }".utf8)) }
    }
}
