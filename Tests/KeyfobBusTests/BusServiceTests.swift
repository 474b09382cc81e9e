import Foundation
import KeyfobBus
import KeyfobSodium
import KeyfobTestSupport
import Synchronization
import Testing

private let name = "io.keyfob.Test"
private let object = BusObject(
    name: name, path: "/io/keyfob/Test", interface: "io.keyfob.Test1",
    methods: [
        .init("Echo", ["tag", "text"], gives: "text"), .init("Keep", ["text"], gives: "text"),
        .init("Drop", ["text"], gives: "text"), .init("Refuse", ["text"], gives: "text"),
    ], limits: BusLimits(callsOfSender: 4, calls: 8, bodyCount: 1_000, argumentCount: 10))
private let target = "\(name) /io/keyfob/Test io.keyfob.Test1"

/// A service that keeps what it is asked to keep, and what happens to it.
private final class Serving: Sendable {
    let kept = Mutex<[BusCall]>([])
    let callers = Mutex<[BusCaller]>([])
    let events: AsyncStream<String>
    private let happens: AsyncStream<String>.Continuation

    init() { (events, happens) = AsyncStream.makeStream() }

    func start(
        _ environment: [String: String], library: String = BusService.library, deadline: Duration = .seconds(30)
    ) throws(BusFailure) -> BusService {
        try BusService(
            object, environment: environment, deadline: deadline, library: library,
            handle: { call in
                self.callers.withLock { $0.append(call.caller) }
                switch call.method {
                case "Echo": call.answer(call.body.withBytes { SecretBytes(copying: $0) })
                case "Refuse": call.refuse("io.keyfob.Test.Refused", "no")
                case "Keep":
                    call.whenGone { self.happens.yield("gone") }
                    self.kept.withLock { $0.append(call) }
                    self.happens.yield("kept")
                default: break
                }
            }, ended: { self.happens.yield($0.map { "\($0)" } ?? "ended") })
    }

    func next() async -> String? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }
}

@Suite("An object on the session bus", .waitsForPrograms) struct BusServiceTests {
    @Test("A method's texts come, with who sent them, and its answer goes out")
    func answers() throws {
        let session = try SecretServiceSession(.none)
        let serving = Serving()
        let service = try serving.start(session.environment)
        let client = try BusClient(session.environment)
        #expect(try client.ask("call \(target) Echo tag hällo") == "answer hällo")
        let caller = try #require(serving.callers.withLock { $0.first })
        #expect(caller.process == client.number)
        #expect(caller.user == geteuid())
        _ = service
    }

    @Test("What is no such call is refused, and pings are answered")
    func refuses() throws {
        let session = try SecretServiceSession(.none)
        let service = try Serving().start(session.environment)
        let client = try BusClient(session.environment)
        #expect(try client.ask("call \(name) / org.freedesktop.DBus.Peer Ping").hasPrefix("answer"))
        #expect(try client.ask("call \(target) Nothing x").hasSuffix("UnknownMethod"))
        #expect(try client.ask("call \(name) /elsewhere io.keyfob.Test1 Keep x").hasPrefix("error"))
        #expect(try client.ask("call \(target) Echo one").hasSuffix("InvalidArgs"))
        #expect(try client.ask("numbers \(target) Keep").hasSuffix("InvalidArgs"))
        #expect(try client.ask("call \(target) Refuse x") == "error io.keyfob.Test.Refused")
        #expect(try client.ask("call \(target) Drop x") == "error org.freedesktop.DBus.Error.Failed")
        #expect(try client.ask("call \(target) Echo tag @1000") == "answer " + String(repeating: "x", count: 1_000))
        #expect(try client.ask("call \(target) Echo tag @1001").hasSuffix("LimitsExceeded"))
        #expect(try client.ask("call \(target) Echo @11 x").hasSuffix("LimitsExceeded"))
        let description = try client.ask(
            "call \(name) /io/keyfob/Test org.freedesktop.DBus.Introspectable Introspect")
        #expect(description.contains("<method name=\"Echo\"><arg name=\"tag\" type=\"s\" direction=\"in\"/>"))
        _ = service
    }

    @Test("Only so many calls of a client are open at once, and others are served meanwhile")
    func flood() async throws {
        let session = try SecretServiceSession(.none)
        let serving = Serving()
        let service = try serving.start(session.environment)
        let (busy, other) = (try BusClient(session.environment), try BusClient(session.environment))
        #expect(try busy.ask("flood 100 \(target) Keep x").hasSuffix("LimitsExceeded"))
        #expect(try other.ask("call \(target) Echo tag there") == "answer there")
        for _ in 0..<4 { #expect(await serving.next() == "kept") }
        #expect(serving.kept.withLock { $0.count } == 4)
        _ = service
    }

    @Test("Another thread answers later")
    func later() async throws {
        let session = try SecretServiceSession(.none)
        let serving = Serving()
        let service = try serving.start(session.environment)
        let client = try BusClient(session.environment)
        try client.tell("call \(target) Keep x")
        #expect(await serving.next() == "kept")
        let call = try #require(serving.kept.withLock { $0.first })
        await Task { @concurrent in call.answer(secret("done")) }.value
        #expect(try client.answer() == "answer done")
        _ = service
    }

    @Test("A client that leaves is noticed, and an answer to it goes nowhere")
    func leaves() async throws {
        let session = try SecretServiceSession(.none)
        let serving = Serving()
        let service = try serving.start(session.environment)
        do {
            let client = try BusClient(session.environment)
            #expect(try client.ask("begin \(target) Keep x") == "begun")
            #expect(await serving.next() == "kept")
        }
        #expect(await serving.next() == "gone")
        serving.kept.withLock { $0.first }?.refuse("io.keyfob.Test.Late", "late")
        #expect(
            try BusClient(session.environment).ask("call \(target) Echo tag still") == "answer still")
        _ = service
    }

    @Test("The name is taken from nobody, not waited for, and given back at the end")
    func takesNoName() async throws {
        let session = try SecretServiceSession(.none)
        let client = try BusClient(session.environment)
        #expect(try client.ask("own io.keyfob.Test") == "ok")
        #expect(throws: BusFailure.nameTaken) { _ = try Serving().start(session.environment) }
        let (others, serving) = (try SecretServiceSession(.none), Serving())
        let service = try serving.start(others.environment)
        let second = try BusClient(others.environment)
        #expect(try second.ask("own io.keyfob.Test") == "taken")
        #expect(throws: BusFailure.nameTaken) { _ = try Serving().start(others.environment) }
        service.retire()
        #expect(await serving.next() == "ended")
        #expect(try second.ask("owner io.keyfob.Test") == "free")
    }

    @Test("Who gives the name back answers first what has come")
    func retires() async throws {
        let session = try SecretServiceSession(.none)
        let serving = Serving()
        let service = try serving.start(session.environment)
        let client = try BusClient(session.environment)
        try client.tell("call \(target) Keep x")
        #expect(await serving.next() == "kept")
        service.retire()
        serving.kept.withLock { $0.first }?.answer(secret("done"))
        #expect(try client.answer() == "answer done")
        #expect(await serving.next() == "ended")
    }

    @Test("A bus that goes away ends it")
    func busEnds() async throws {
        let session = try SecretServiceSession(.none)
        let serving = Serving()
        let service = try serving.start(session.environment)
        session.stop()
        #expect(await serving.next() == "ended")
        service.stop()
    }

    @Test("What is missing is said")
    func missing() throws {
        let session = try SecretServiceSession(.none)
        #expect(throws: BusFailure.noLibrary) {
            _ = try Serving().start(session.environment, library: "libkeyfob-nothing.so.0")
        }
        #expect(throws: BusFailure.noLibrary) { _ = try Serving().start(session.environment, library: "libc.so.6") }
        #expect(throws: BusFailure.noBus) { _ = try Serving().start([:]) }
        #expect(throws: BusFailure.noBus) {
            _ = try Serving().start(["DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/true"])
        }
        session.stop()
        #expect(throws: BusFailure.noBus) { _ = try Serving().start(session.environment) }
    }

    @Test("The library's functions are declared as its header does")
    func header() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            "clang -fsyntax-only -Wall -Werror -Wno-unused-function -x c -DCLIBSYSTEMD_COMPARE "
                + "$(pkg-config --cflags libsystemd) \"$0\"",
            root.appending(path: "Sources/CLibsystemd/shim.h").path,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "is libsystemd-dev installed?")
    }
}
