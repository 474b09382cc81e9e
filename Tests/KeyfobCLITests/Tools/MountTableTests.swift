import Testing

@testable import KeyfobCLI

@Suite("The table of mounts")
struct MountTableTests {
    private let table = MountTable(
        #"""
        22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
        23 22 0:21 / /proc rw - proc proc rw
        24 22 254:1 /@home /home rw shared:1 - btrfs /dev/vdb rw
        25 22 254:1 / /mnt/all\040of\040it rw shared:2 - btrfs /dev/vdb rw
        26 22 254:1 /@home/ada/.local/share/keyfob/backups /srv/backups rw - btrfs /dev/vdb rw
        27 22 254:0 /var/lib /srv/lib ro - ext4 /dev/vda rw
        28 22 254:1 /@home/bob /home/bob rw - btrfs /dev/vdb rw
        broken
        """#)

    @Test(
        "a file has the names that its file system's other mounts give it",
        arguments: [
            ("/home/ada/.local/share/keyfob", ["/mnt/all of it/@home/ada/.local/share/keyfob", "/srv/backups"]),
            ("/home/ada", ["/mnt/all of it/@home/ada", "/srv/backups"]),
            ("/home/ada/key", ["/mnt/all of it/@home/ada/key"]),
            ("/var/lib/keyfob", ["/srv/lib/keyfob"]), ("/srv/lib/keyfob", ["/var/lib/keyfob"]),
            ("/home/bob/key", ["/mnt/all of it/@home/bob/key"]),
            ("/etc/key", []),
        ])
    func names(path: String, others: [String]) {
        #expect(table.otherNames(of: path) == others)
    }

    @Test("of a home, what is mounted of parts of it is no other name")
    func parts() {
        #expect(table.otherNames(of: "/home/ada", withParts: false) == ["/mnt/all of it/@home/ada"])
    }

    @Test("of this machine the root and /proc are there, and a table without them is none")
    func here() {
        #expect(MountTable.ofThisProcess?.isWhole == true)
        #expect(table.isWhole)
        #expect(!MountTable("").isWhole && !MountTable("22 1 254:0 / / rw - ext4 /dev/vda rw").isWhole)
    }
}
