import Foundation
import KeyfobTestSupport
import Testing

@Suite("Histories over each kind of remote", .waitsForPrograms, .enabled(if: TestLength.isFull, "make test-full"))
struct SyncRandomTests {
    @Test("after random work and syncs in any order all are alike", arguments: [SyncPlace.git, .rclone, .etcd])
    func histories(place: SyncPlace) throws {
        for seed in 0..<UInt64(TestLength.rounds(1, full: 20)) {
            var generator = SeededGenerator(seed: seed)
            func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
            let machines = try SyncMachines("one", "two", "three", at: place)
            for step in 0..<15 {
                let name = machines.names[number(3)]
                let account = try machines.accounts(on: name).randomElement(using: &generator)
                switch (number(6), account) {
                case (0, _), (_, nil): try machines.add("account-\(step)", on: name)
                case (1, let account?):
                    try machines.on(name, "keyfob account label -q \(account) label-\(number(9))").expectSuccess()
                case (2, let account?):
                    try machines.on(name, "keyfob account remove -q --force \(account)").expectSuccess()
                case (3, let account?):
                    try machines.on(name, "keyfob bind -q --tool tool-\(number(2)) \(account)").expectSuccess()
                default: try machines.on(name, "keyfob sync -q").expectSuccess()
                }
            }
            try machines.settle()
            let states = try machines.names.map { name in
                try machines.on(
                    name,
                    "keyfob account list --json | jq -c '[.accounts[] | [.homeAccountID, .label]] | sort'; keyfob bindings"
                ).expectSuccess().text
            }
            #expect(Set(states).count == 1, "seed \(seed): \(states)")
            for name in machines.names {
                let status = try machines.on(name, "keyfob sync status").expectSuccess().text
                #expect(!status.contains("warning"), "seed \(seed): \(status)")
            }
        }
    }
}
