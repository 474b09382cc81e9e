import Foundation
import KeyfobSecretService
import KeyfobTestSupport
import Testing

@Suite(.waitsForPrograms) struct ConnectionTests {
    private func connecting(
        _ environment: [String: String], deadline: Duration = .milliseconds(200),
        libraries: ServiceLibraries = ServiceLibraries()
    ) -> SecretServiceError? {
        failure {
            _ = try SecretService.connect(
                SecretServiceAccess(environment: environment, mayPrompt: false, deadline: deadline),
                libraries: libraries)
        }
    }

    @Test func needsABus() {
        #expect(connecting([:]) == .noBus)
    }

    @Test func needsASocketThatIsThere() {
        #expect(connecting(["XDG_RUNTIME_DIR": "/nowhere"]) == .noBus)
        #expect(connecting(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/io.keyfob/nowhere"]) == .noBus)
    }

    @Test func needsASocketAndNotJustAFile() throws {
        let folder = try ScratchFolder()
        try folder.write("bus", [])
        #expect(connecting(["XDG_RUNTIME_DIR": folder.path]) == .noBus)
    }

    @Test func needsSomebodyWhoListens() throws {
        let session = try SecretServiceSession(.none)
        session.stop()
        #expect(FileManager.default.fileExists(atPath: session.runtimeFolder + "/bus"))
        #expect(connecting(session.environment) == .noBus)
    }

    @Test func needsABusOfTheSameUser() throws {
        let session = try SecretServiceSession(.keyring)
        let access = SecretServiceAccess(environment: session.environment, mayPrompt: false, deadline: .seconds(30))
        #expect(failure { _ = try SecretService.connect(access, of: geteuid() + 1) } == SecretServiceError.noBus)
        _ = try SecretService.connect(access, of: geteuid())
    }

    @Test func leavesTheProcesssSignalsAlone() async throws {
        let session = try SecretServiceSession(.keyring)
        let environment = session.environment
        await #expect(processExitsWith: .signal(SIGPIPE)) { [environment = environment as [String: String]] in
            signal(SIGPIPE, SIG_DFL)
            for libraries in [ServiceLibraries(), .withoutSystemd] {
                let service = try SecretService.connect(
                    SecretServiceAccess(environment: environment, mayPrompt: false, deadline: .seconds(30)),
                    libraries: libraries)
                _ = try service.create(
                    label: "Keyfob", attributes: attributes, secret: secret("s"), in: service.defaultPath())
            }
            raise(SIGPIPE)
        }
    }

    @Test func neverStartsABus() throws {
        // With an X server's name, and without an address, GLib would run dbus-launch.
        #expect(connecting(["DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]) == .noBus)
    }

    @Test func needsTheLibrary() throws {
        let session = try SecretServiceSession(.none)
        #expect(connecting(session.environment, libraries: .none) == .noLibrary)
    }

    @Test func needsAWholeLibrary() throws {
        let session = try SecretServiceSession(.none)
        #expect(
            connecting(
                session.environment,
                libraries: ServiceLibraries(systemd: "libc.so.6", libsecret: "libglib-2.0.so.0")) == .noLibrary)
    }

    @Test func looksForTheBusBeforeItLoadsTheLibrary() {
        #expect(connecting([:], libraries: .none) == .noBus)
    }

    @Test func needsAService() throws {
        let session = try SecretServiceSession(.none)
        #expect(connecting(session.environment, deadline: .seconds(30)) == .noService)
    }

    @Test func findsTheBusInTheRuntimeFolder() throws {
        let session = try SecretServiceSession(.keyring)
        #expect(connecting(["XDG_RUNTIME_DIR": session.runtimeFolder], deadline: .seconds(30)) == nil)
    }

    @Test func namesTheProvider() throws {
        let session = try SecretServiceSession(.keyring)
        #expect(try session.connect().providerName == "GNOME Keyring")
    }

    @Test(arguments: HalfABus.Kind.allCases, [false, true])
    func doesNotWaitForABusThatSaysNothing(kind: HalfABus.Kind, hasSystemd: Bool) throws {
        let bus = try HalfABus(kind)
        let libraries = hasSystemd ? ServiceLibraries() : .withoutSystemd
        if kind == .noBus {
            #expect(connecting(bus.environment, deadline: .seconds(30), libraries: libraries) == .noBus)
        } else {
            #expect(connecting(bus.environment, libraries: libraries) == .timedOut)
        }
    }

    @Test func endsWithItsObject() throws {
        let session = try SecretServiceSession(.keyring)
        for round in 0..<4 {
            let service = try session.connect(libraries: round < 2 ? ServiceLibraries() : .withoutSystemd)
            let item = try service.create(
                label: "Keyfob", attributes: attributes, secret: secret("s"), in: service.defaultPath())
            try service.delete(item)
        }
        // The one that asks, and the service.
        try session.waitForConnections(atMost: 2)
    }

    @Test func declaresTheLibrarysFunctionsAsItsHeadersDo() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let header = root.appending(path: "Sources/CLibsecret/shim.h").path
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            "clang -fsyntax-only -Wall -Werror -Wno-unused-function -x c -DCLIBSECRET_COMPARE "
                + "$(pkg-config --cflags libsecret-1) \"$0\"", header,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "is libsecret-1-dev installed?")
    }
}
