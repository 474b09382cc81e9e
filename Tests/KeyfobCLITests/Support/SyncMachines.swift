import Foundation
import Testing

/// Where machines of a test meet.
enum SyncPlace: String, CaseIterable {
    case folder, git, rclone, etcd
}

/// Some machines in one place, each with a home of its own: `on NAME keyfob …` is typed on one.
struct SyncMachines {
    let place: Workplace
    let names: [String]
    /// As keyfob is given it.
    let remote: String
    private let etcd: EtcdServers?

    init(_ names: String..., at kind: SyncPlace = .folder, etcd servers: EtcdServers? = nil) throws {
        self.names = names
        place = try Workplace()
        etcd = kind == .etcd ? try servers ?? EtcdServers() : nil
        switch kind {
        case .folder: remote = "remote"
        case .git:
            remote = place.path + "/remote.git"
            try place.run("git init -q --bare remote.git").expectSuccess()
        case .rclone: remote = "rclone::local:" + place.path + "/remote"
        case .etcd: remote = etcd?.remote ?? ""
        }
        for name in names {
            try run("mkdir -p -m 700 \(name)/run && head -c 32 /dev/urandom > \(name)/key && chmod 600 \(name)/key")
                .expectSuccess()
            try on(name, "keyfob init --quiet --recovery-file \(name)/recovery").expectSuccess()
        }
        let first = names[0]
        try on(first, "keyfob sync init -q \(remote) --name \(first) > \(first)/words").expectSuccess()
        for name in names.dropFirst() {
            try on(name, "keyfob sync join -q \(remote) $(cat \(first)/words) --name \(name) > \(name)/words")
                .expectSuccess()
            try on(first, "keyfob sync approve -q $(cat \(name)/words)").expectSuccess()
            try on(name, "keyfob sync -q").expectSuccess()
        }
    }

    func run(_ line: String, deadline: Int = 120) throws -> Outcome { try place.run(line, deadline: deadline) }

    /// A line that is typed on one machine.
    func on(_ name: String, _ line: String, deadline: Int = 120) throws -> Outcome {
        try run(Self.home(name) + line, deadline: deadline)
    }

    static func home(_ name: String) -> String {
        """
        export XDG_DATA_HOME=$PWD/\(name)/data XDG_STATE_HOME=$PWD/\(name)/state XDG_RUNTIME_DIR=$PWD/\(name)/run \
        KEYFOB_KEY_FILE=$PWD/\(name)/key

        """
    }

    func add(_ account: String, on name: String) throws {
        try on(name, "echo t | keyfob add -q --account \(account) --host git.example").expectSuccess()
    }

    /// The accounts of one machine, in their order.
    func accounts(on name: String) throws -> [String] {
        try on(name, "keyfob account list --json | jq -r '.accounts[].homeAccountID'").expectSuccess().text
            .split(separator: "\n").map(String.init).sorted()
    }

    /// Synchronises all, often enough.
    func settle() throws {
        for _ in 0..<3 { for name in names { try on(name, "keyfob sync -q").expectSuccess() } }
    }
}
