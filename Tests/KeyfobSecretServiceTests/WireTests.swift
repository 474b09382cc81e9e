import KeyfobBus
import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Synchronization
import Testing

/// What both ways to the service do, by sd-bus and, where that is not installed, by libsecret.
@Suite(.waitsForPrograms) struct WireTests {
    private static let ways = [false, true]

    private func libraries(_ hasSystemd: Bool) -> ServiceLibraries {
        hasSystemd ? ServiceLibraries() : .withoutSystemd
    }

    @Test func readWhatTheOtherHasWritten() throws {
        let session = try SecretServiceSession(.keyring)
        let texts = ["täglich\n{TITLE} \0", "", String(repeating: "long ", count: 100_000)]
        for way in Self.ways {
            let (writer, reader) = (
                try session.connect(libraries: libraries(way)), try session.connect(libraries: libraries(!way))
            )
            let collection = try writer.defaultPath()
            for text in texts where !text.isEmpty {
                let item = try writer.create(
                    label: "Übung ✓", attributes: attributes, secret: secret(text), in: collection)
                #expect(try reader.readings(of: [item]) == [.text(text)])
                #expect(try reader.label(of: item) == "Übung ✓")
                #expect(try reader.attributes(of: item) == attributes)
                #expect(try reader.details(of: item).modified != nil)
                #expect(try reader.items(attributes, in: collection) == [item])
                try reader.setSecret(of: item, to: secret("other"), as: .plain)
                try reader.setAttributes(of: item, to: attributes.merging(["key": "k2"]) { $1 }, label: "l2")
                #expect(try session.rawSecret(at: item.path) == "other")
                #expect(try writer.attributes(of: item)["key"] == "k2")
                #expect(try writer.label(of: item) == "l2")
                try writer.delete(item)
                #expect(failure { _ = try reader.attributes(of: item) } == SecretServiceError.noItem)
                #expect(try reader.readings(of: [item]) == [.failure(.noItem)])
            }
        }
    }

    @Test(arguments: ways) func askThePerson(way: Bool) throws {
        let session = try SecretServiceSession(.misbehaving(["locked", "accept", "ask-to-create", "ask-to-delete"]))
        let service = try session.connect(mayPrompt: true, libraries: libraries(way))
        let collection = try service.defaultPath()
        try service.unlock(collection)
        #expect(try service.isLocked(collection) == false)
        let item = try service.create(label: "l", attributes: attributes, secret: secret("s"), in: collection)
        #expect(try service.readings(of: [item]) == [.text("s")])
        try service.delete(item)
        #expect(try service.items(attributes, in: collection) == [])
    }

    @Test(arguments: ways, PromptTests.unhappyEnds)
    func noticeHowPromptsEnd(way: Bool, end: (String, SecretServiceError)) throws {
        let session = try SecretServiceSession(.misbehaving(["locked", end.0]))
        let service = try session.connect(
            mayPrompt: true, promptDeadline: end.0 == "ignore" ? .seconds(3) : .seconds(30),
            libraries: libraries(way))
        #expect(failure { try service.unlock(service.defaultPath()) } == end.1)
    }

    @Test(arguments: ways) func tellThatTheyWait(way: Bool) throws {
        let session = try SecretServiceSession(.misbehaving(["locked", "ignore"]))
        let told = Mutex(0)
        let service = try session.connect(
            mayPrompt: true, promptDeadline: .seconds(5), libraries: libraries(way)
        ) { told.withLock { $0 += 1 } }
        #expect(failure { try service.unlock(service.defaultPath()) } == SecretServiceError.promptDismissed)
        #expect(told.withLock { $0 } == 1)
    }

    @Test(
        arguments: ways,
        [
            ("silent:Get", SecretServiceError.timedOut), ("die:Get", .noService),
            ("refuse:Get", .refused("org.example.Refused")),
            ("nonsense:Get", .refused("org.freedesktop.DBus.Error.InconsistentMessage")),
        ])
    func sayWhatIsWrong(way: Bool, case wrong: (flag: String, error: SecretServiceError)) throws {
        let session = try SecretServiceSession(.misbehaving([wrong.flag]))
        let service = try session.connect(
            deadline: wrong.flag.hasPrefix("silent") ? .seconds(3) : .seconds(30), libraries: libraries(way))
        let collection = "/org/freedesktop/secrets/collection/odd"
        #expect(failure { _ = try service.collection(at: collection) } == wrong.error)
    }

    @Test(arguments: ways) func noticeThatTheBusIsGone(way: Bool) throws {
        let session = try SecretServiceSession(.keyring)
        let service = try session.connect(libraries: libraries(way))
        session.stop()
        #expect(failure { _ = try service.collections() } == SecretServiceError.noBus)
    }

    @Test(arguments: ways) func findAServiceThatWasRestarted(way: Bool) throws {
        let session = try SecretServiceSession(.keyring)
        let service = try session.connect(libraries: libraries(way))
        let item = try service.create(
            label: "l", attributes: attributes, secret: secret("s"), in: service.defaultPath())
        #expect(try service.readings(of: [item]) == [.text("s")])
        try session.restartService()
        #expect(try service.readings(of: service.items(attributes, in: service.defaultPath())) == [.text("s")])
    }

    @Test(arguments: [
        ("/", true), ("/a", true), ("/a/b_9", true), ("", false), ("a", false), ("/a/", false), ("//", false),
        ("/a//b", false), ("/a-b", false), ("/é", false), ("/a\u{0}", false),
    ])
    func takePathsAsDBusDoes(text: String, isPath: Bool) {
        #expect(BusArgument.isPath(text) == isPath)
    }
}
