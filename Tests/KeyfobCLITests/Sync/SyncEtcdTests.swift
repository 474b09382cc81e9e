import Foundation
import KeyfobTestSupport
import Testing

@Suite("Synchronising over etcd", .waitsForPrograms)
struct SyncEtcdTests {
    @Test("it goes on when a member dies, and says so when too few are left")
    func deadMembers() throws {
        let etcd = try EtcdServers(members: 3)
        let machines = try SyncMachines("one", "two", at: .etcd, etcd: etcd)
        let first = try etcd.leader()
        etcd.kill(first)
        try machines.add("after-leader", on: "one")
        try machines.settle()
        #expect(try machines.accounts(on: "two") == ["after-leader"])
        etcd.kill(try etcd.leader())
        try machines.add("later", on: "one")
        // Nothing of the vault depends on it.
        try machines.on("one", "keyfob sync").expectError(75, "etcd cannot be reached at 127.0.0.1", "nothing is lost")
        #expect(try machines.accounts(on: "one") == ["after-leader", "later"])
    }

    @Test("a file that is longer than etcd takes at once arrives, and what is old goes")
    func largeFiles() throws {
        let etcd = try EtcdServers()
        let machines = try SyncMachines("one", "two", at: .etcd, etcd: etcd)
        let cache = """
            jq -n '[range(2500) | tostring | {key: ("account-" + . + ".t-login.microsoftonline.com-t"), value: {
                home_account_id: ("account-" + . + ".t"), environment: "login.microsoftonline.com", realm: "t",
                local_account_id: ., username: ("ada-" + . + "@git.example"), authority_type: "MSSTS"}}]
                | {Account: from_entries}' > cache.json
            keyfob import -q cache.json
            """
        try machines.on("one", cache).expectSuccess()
        try machines.settle()
        #expect(try machines.accounts(on: "two").count == 2_500)
        // Three parts at least; and the files of each machine's two last heads at most.
        #expect((1 << 20..<12 << 20).contains(try etcd.contents().count))
        let words = [Data("account-1".utf8), Data("git.example".utf8)]
        let contents = try etcd.contents()
        for word in words { #expect(!contents.holds(word)) }
    }

    @Test(
        "an address that cannot be one is refused with what is wrong",
        arguments: [
            ("etcd+http://etcd.example/k", "http is for this machine alone"),
            ("etcd+https://ada:secret@etcd.example/k", "without a password"),
            ("etcd+https:///k", "is no host of etcd"), ("etcd+https://etcd.example/a%20b", "a prefix in etcd has"),
            ("etcd+ftp://etcd.example", "an address of etcd is meant"),
            ("rclone:nowhere", "'rclone:REMOTE:PATH' is meant"),
        ])
    func addresses(text: String, words: String) throws {
        let place = try Workplace.withVault()
        let outcome = try place.run("keyfob sync init '\(text)'")
        outcome.expectError(64, words)
        #expect(!outcome.errors.contains("secret"))
    }

    @Test("where nothing answers, and where something else does, nothing is begun")
    func elsewhere() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob sync init etcd+http://127.0.0.1:1/k").expectError(75, "etcd cannot be reached", "refused")
        try place.run("keyfob sync status").expectError(78)
        try place.run("keyfob sync init etcd+https://ada@127.0.0.1:1/k").expectError(
            78, "the password of etcd's user ada", "KEYFOB_ETCD_PASSWORD_FILE")
    }

    @Test("over TLS the authority that somebody names is trusted, and no other one")
    func privateAuthority() throws {
        let etcd = try EtcdServers(isSecure: true)
        let place = try Workplace.withVault()
        let authority = try #require(etcd.authority)
        let begin = ContinuousClock.now
        try place.run("keyfob sync init \(etcd.remote)").expectError(
            69, "the certificate of etcd at https://127.0.0.1", "--ca-file")
        #expect(ContinuousClock.now - begin < .seconds(20))
        try place.run("keyfob sync status").expectError(78)
        try place.run("keyfob sync init -q \(etcd.remote) --ca-file \(authority)").expectSuccess()
        try place.run("KEYFOB_CA_FILE=\(authority) keyfob sync -q").expectSuccess()
        // Of the right authority, for another name.
        try place.run("rm data/keyfob/sync .local/share/keyfob/sync 2> /dev/null; true").expectSuccess()
        let other = etcd.remote.replacing("127.0.0.1", with: "localhost")
        try place.run("keyfob sync init -q \(other) --ca-file \(authority)").expectError(69, "the certificate of etcd")
    }

    @Test("with users of etcd, one who has the password synchronises and others do not")
    func users() throws {
        let etcd = try EtcdServers()
        let machines = try SyncMachines("one", "two", at: .etcd, etcd: etcd)
        try etcd.enableUsers(root: #"se"cret"#)
        try machines.on("one", "keyfob sync").expectError(69, "etcd at http://127.0.0.1", "refuses")
        try machines.place.write("password", "se\"cret\n")
        let asRoot = etcd.remote.replacing("etcd+http://", with: "etcd+http://root@")
        let line = """
            export KEYFOB_ETCD_PASSWORD_FILE=$PWD/password
            rm one/data/keyfob/sync
            keyfob sync init -q \(asRoot)-other --name one
            """
        try machines.on("one", line).expectSuccess()
        try machines.place.write("password", "wrong")
        let refused = try machines.on("one", "export KEYFOB_ETCD_PASSWORD_FILE=$PWD/password\nkeyfob sync")
        refused.expectError(69, "refuses")
        #expect(!refused.errors.contains("wrong"))
    }
}
