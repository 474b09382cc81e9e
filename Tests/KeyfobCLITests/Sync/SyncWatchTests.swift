import Foundation
import KeyfobTestSupport
import Testing

@Suite("Synchronising as things change", .waitsForPrograms)
struct SyncWatchTests {
    /// Types a line on one machine while `keyfob sync --watch` runs on each, and ends them by a signal.
    private func watching(
        _ machines: SyncMachines, every: Int = 3_600, _ line: String
    ) throws -> Outcome {
        let starts = machines.names.map { name in
            """
            (\(SyncMachines.home(name))\(Workplace.alone) keyfob sync --watch --every \(every) > \(name)/said 2> \(name)/told) &
            \(name)=$!
            until grep -qs . \(name)/said \(name)/told; do sleep 0.01; done
            """
        }
        let ends = machines.names.map { "kill $\($0) && wait $\($0) || echo \($0) ended with $?" }
        // Whatever goes wrong, they end.
        let trap =
            "trap 'kill -KILL \(machines.names.map { "$" + $0 }.joined(separator: " ")) 2> /dev/null' EXIT; trap exit TERM"
        let outcome = try machines.run(([trap] + starts + [line] + ends).joined(separator: "\n"), deadline: 300)
        outcome.expectSuccess()
        return outcome
    }

    /// Waits on one machine until it has an account.
    private func awaiting(_ account: String, on name: String) -> String {
        """
        (\(SyncMachines.home(name))for try in $(seq 1000); do
            keyfob account list -q | grep -q '\(account) ' && exit 0
            sleep 0.02
        done
        echo \(account) did not come) || exit
        """
    }

    private func adding(_ account: String, on name: String) -> String {
        "(\(SyncMachines.home(name))echo t | keyfob add -q --account \(account) --host git.example) || exit"
    }

    @Test(
        "a sign-in here is there without anybody asking, and a signal ends it well",
        arguments: [SyncPlace.folder, .etcd])
    func spreading(place: SyncPlace) throws {
        let machines = try SyncMachines("one", "two", "three", at: place)
        let outcome = try watching(
            machines,
            [
                adding("of-one", on: "one"), awaiting("of-one", on: "three"), adding("of-two", on: "two"),
                awaiting("of-two", on: "one"),
            ].joined(separator: "\n"))
        #expect(outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        let told = try machines.run("cat */told").text
        #expect(!told.contains("warning"), "\(told)")
    }

    @Test("where nothing tells of a change, it looks from time to time", arguments: [SyncPlace.git, .rclone])
    func looking(place: SyncPlace) throws {
        let machines = try SyncMachines("one", "two", at: place)
        let outcome = try watching(
            machines, every: 1, [adding("of-one", on: "one"), awaiting("of-one", on: "two")].joined(separator: "\n"))
        #expect(outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("a remote that goes away is told of once, and then found again")
    func away() throws {
        let machines = try SyncMachines("one", "two")
        let outcome = try watching(
            machines, every: 1,
            """
            # Not while one of them writes there.
            flock one/data/keyfob/sync.lock flock two/data/keyfob/sync.lock mv remote away
            until grep -q 'tried again' one/told && grep -q 'tried again' two/told; do sleep 0.01; done
            \(adding("of-one", on: "one"))
            mv away remote
            \(awaiting("of-one", on: "two"))
            """)
        #expect(outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        let told = try machines.run("grep -c 'there is no folder' one/told").text
        #expect(told == "1\n")
    }

    @Test("--every is for --watch, which prints no document")
    func options() throws {
        let place = try Workplace.withVault()
        #expect(try place.run("keyfob sync --watch --json").status == 64)
        try place.run("keyfob sync --every 5").expectError(64, "--every is for --watch")
    }
}
