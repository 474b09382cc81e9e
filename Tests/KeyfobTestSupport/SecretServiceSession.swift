internal import Foundation
internal import Glibc
internal import Synchronization

/// A private session bus with a Secret Service, for one test; both end with it.
///
/// Tests/SecretService/session.py runs them. Several can run at the same time.
package final class SecretServiceSession {
    /// What runs on the bus.
    package enum Service: Sendable {
        /// Nothing.
        case none
        /// gnome-keyring-daemon, with its default collection unlocked.
        case keyring
        /// The same, but locked.
        case lockedKeyring
        /// KeePassXC without a display, with an open database; `asking` for a click for each item, which nobody gives.
        case keePassXC(asking: Bool)
        /// The same on a screen (Xvfb), before which somebody allows whatever it asks; `asking` is its default.
        case keePassXCOnScreen(asking: Bool)
        /// Tests/SecretService/misbehaving.py with these flags.
        case misbehaving([String])
    }

    /// What did not work.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Whether KeePassXC is installed.
    package static let hasKeePassXC = FileManager.default.isExecutableFile(atPath: "/usr/bin/keepassxc")

    /// Whether it can be put on a screen, and somebody before that.
    package static let hasScreen = ["Xvfb", "xdotool"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// Where the session's files are.
    package let folder: ScratchFolder

    private let commands: FileHandle
    private let answers: FileHandle
    private var hasEnded = false

    package init(_ service: Service = .keyring) throws {
        folder = try ScratchFolder()
        let pipes = [folder.path + "/commands", folder.path + "/answers"]
        for pipe in pipes {
            guard unsafe mkfifo(pipe, 0o600) == 0 else { throw Failure(description: "no pipe at \(pipe)") }
        }
        try SessionServer.shared.start(in: folder.path)
        // Each waits until the session has opened the other end.
        commands = FileHandle(fileDescriptor: unsafe open(pipes[0], O_WRONLY | O_CLOEXEC), closeOnDealloc: true)
        answers = FileHandle(fileDescriptor: unsafe open(pipes[1], O_RDONLY | O_CLOEXEC), closeOnDealloc: true)
        let greeting = try answer()
        guard greeting == "ready" else {
            throw Failure(description: "no session bus (\(greeting)); run Scripts/install-dependencies --test")
        }
        switch service {
        case .none: break
        case .keyring: try send("start")
        case .lockedKeyring: try send("start-locked")
        case .keePassXC(let asking): try send(asking ? "keepassxc-asks" : "keepassxc")
        case .keePassXCOnScreen(let asking): try send(asking ? "keepassxc-screen-asks" : "keepassxc-screen")
        case .misbehaving(let flags): try misbehave(flags)
        }
    }

    deinit {
        stop()
    }

    /// What a program needs to find the bus, and to find no other files of the person's.
    package var environment: [String: String] {
        [
            "HOME": folder.path,
            "XDG_DATA_HOME": "\(folder.path)/data",
            "XDG_CONFIG_HOME": "\(folder.path)/config",
            "XDG_CACHE_HOME": "\(folder.path)/cache",
            "XDG_RUNTIME_DIR": runtimeFolder,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtimeFolder)/bus",
        ]
    }

    /// The folder with the bus's socket, `bus`.
    package var runtimeFolder: String { "\(folder.path)/run" }

    /// Locks GNOME's default collection.
    package func lock() throws { try send("lock") }

    /// Unlocks it, as the person does who types the password.
    package func unlock() throws { try send("unlock") }

    /// Opens a second way to the bus, on which a file says which calls of the service are refused.
    ///
    /// - Parameter file: As Tests/SecretService/refusals.py reads it.
    /// - Returns: The bus's address by that way.
    package func refuseCalls(asSays file: String) throws -> String {
        try send("refuse \(file)")
        return "unix:path=\(runtimeFolder)/refusing"
    }

    /// Renames it.
    package func rename(to label: String) throws { try send("label \(label)") }

    /// The text of an item's secret as the service has it.
    package func rawSecret(at path: String) throws -> String { try ask("raw-secret \(path)") }

    /// Changes an item's secret to a text, as another program would.
    package func putRawSecret(_ text: String, at path: String) throws {
        try send("put-raw \(path) \(text.replacing("\n", with: "\\n"))")
    }

    /// Ends the service by force and starts GNOME's, with the same keyring, unlocked.
    package func restartService() throws { try send("start") }

    /// The same, but as it is before anybody has unlocked it.
    package func restartServiceLocked() throws { try send("start-locked") }

    /// Ends the service by force.
    package func stopService() throws { try send("stop") }

    /// Stops the service's process, so that it answers nothing.
    package func freezeService() throws { try send("freeze") }

    /// Ends the bus by force, and the service with it.
    package func stopBus() throws { try send("stop-bus") }

    /// Does so and starts another bus at the same address, without a service.
    package func restartBus() throws { try send("restart-bus") }

    /// Waits until the bus has no more than `count` connections, the one of this wait among them.
    package func waitForConnections(atMost count: Int) throws { try send("connections \(count)") }

    /// Puts misbehaving.py in the service's place.
    package func misbehave(_ flags: [String]) throws {
        try send((["misbehave"] + flags).joined(separator: " "))
    }

    /// Ends the service and the bus.
    package func stop() {
        guard !hasEnded else { return }
        hasEnded = true
        try? commands.close()
        // Until it has ended.
        _ = try? answers.readToEnd()
    }

    private func send(_ command: String) throws {
        let answer = try ask(command)
        guard answer == "ok" else { throw Failure(description: answer) }
    }

    private func ask(_ command: String) throws -> String {
        try commands.write(contentsOf: Data((command + "\n").utf8))
        return try answer()
    }

    /// The next line.
    private func answer() throws -> String {
        var line: [UInt8] = []
        while let byte = try answers.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// The process that sessions are made of: it takes longer to start than they do.
///
/// It ends with the tests.
private final class SessionServer: Sendable {
    static let shared = SessionServer()

    private let folders: Mutex<FileHandle?>

    private init() {
        let root =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let (process, input) = (Process(), Pipe())
        process.executableURL = URL(
            filePath: ProcessInfo.processInfo.environment["KEYFOB_PYTHON"]
                ?? root.appending(path: ".venv/bin/python3").path)
        process.arguments = [root.appending(path: "Tests/SecretService/session.py").path, "--serve"]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        let hasStarted =
            (try? process.run()) != nil
            && (try? output.fileHandleForReading.read(upToCount: 6)) == Data("ready\n".utf8)
        folders = Mutex(hasStarted ? input.fileHandleForWriting : nil)
    }

    /// Has a session begin in a folder, in which it opens `commands` and then `answers`.
    func start(in folder: String) throws {
        try folders.withLock { folders in
            guard let folders else {
                throw SecretServiceSession.Failure(
                    description: "no session bus; run Scripts/install-dependencies --test")
            }
            try folders.write(contentsOf: Data((folder + "\n").utf8))
        }
    }
}
