import Foundation
import KeyfobTestSupport
import Testing

@Suite("A migration that is killed at any moment", .waitsForPrograms)
struct KilledMigrationTests {
    private let desktop: DesktopPlace
    private var place: Workplace { desktop.place }

    init() throws {
        desktop = try DesktopPlace()
        try place.makeKey("key")
        try place.write("cache.json", SampleCache(people: 12).json())
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try place.run("keyfob import -q cache.json --key-file key").expectSuccess()
    }

    private var isDelegated: Bool { FileManager.default.fileExists(atPath: place.vault + "/storage") }
    private var key: String { isDelegated ? "" : "--key-file key" }

    /// Everything in the vault, as another program reads it.
    private func content() throws -> NSDictionary {
        try place.run("keyfob export -q --force --format msal out.json \(key)").expectSuccess()
        let content = try JSONSerialization.jsonObject(with: place.read("out.json"))
        return try #require(content as? NSDictionary)
    }

    @Test("nothing is lost where the service is killed, and the same command completes it")
    func killedService() throws {
        let before = try content()
        for round in 0..<TestLength.rounds(2, full: 40) {
            let target = isDelegated ? "embedded" : "secret-service"
            let command = "keyfob migrate -q --to \(target) \(key)"
            try place.run("rm -f status; (\(command); echo $? > status) </dev/null >/dev/null 2>&1 &").expectSuccess()
            Thread.sleep(forTimeInterval: .random(in: 0.005...0.25))
            try desktop.session.restartService()
            try place.run("while [ ! -s status ]; do sleep 0.05; done").expectSuccess()
            #expect(try content() == before, "round \(round)")
            if (target == "secret-service") != isDelegated {
                try place.run(command).expectSuccess()
                #expect(try content() == before, "round \(round)")
            }
            #expect((target == "secret-service") == isDelegated)
            let verified = try place.run("keyfob verify \(key)").expectSuccess()
            #expect(verified.errors.isEmpty, "\(verified)")
        }
    }

    @Test("nothing is lost, and the same command completes it")
    func killed() throws {
        let before = try content()
        var (killed, moved) = (0, 0)
        for round in 0..<TestLength.rounds(6, full: 50) {
            let target = isDelegated ? "embedded" : "secret-service"
            let command = "keyfob migrate -q --to \(target) \(key)"
            let seconds = Double.random(in: 0.005...0.25)
            // The shell tells of the signal by its status.
            let outcome = try place.run("timeout -s KILL \(seconds) \(command) >/dev/null 2>&1")
            if outcome.status == 137 { killed += 1 }
            #expect(outcome.status == 137 || outcome.status == 0, "round \(round): \(outcome)")
            #expect(try content() == before, "round \(round)")
            if (target == "secret-service") != isDelegated {
                try place.run(command).expectSuccess()
                #expect(try content() == before, "round \(round)")
                moved += 1
            }
            #expect((target == "secret-service") == isDelegated)
            let verified = try place.run("keyfob verify \(key)").expectSuccess()
            #expect(verified.errors.isEmpty, "\(verified)")
        }
        #expect(killed > 0 && moved > 0)
    }
}
