import Foundation
import KeyfobTestSupport
import Testing

/// A person's home in a desktop session of its own, with a keyring (Secret Service).
struct DesktopPlace {
    let session: SecretServiceSession
    let place: Workplace

    /// - Parameter variables: More of the environment; `DISPLAY` makes it a screen, before which somebody may be asked.
    init(_ service: SecretServiceSession.Service = .keyring, _ variables: [String: String] = [:]) throws {
        session = try SecretServiceSession(service)
        let bus = ["DBUS_SESSION_BUS_ADDRESS": session.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""]
        place = try Workplace(bus.merging(variables) { $1 })
    }

    /// One with a vault that the keyring opens, and a token in it; `recovery` is its recovery key.
    static func withVault(_ variables: [String: String] = [:], _ options: String = "") throws -> DesktopPlace {
        let desktop = try DesktopPlace(.keyring, variables)
        try desktop.place.write("words", "correct horse\n")
        try desktop.place.run("keyfob init -q --secret-service --recovery-file recovery \(options)").expectSuccess()
        try desktop.place.add("ada", token: "token")
        return desktop
    }

    /// One with a vault whose records the keyring keeps; `recovery` is its recovery key.
    static func withRecords() throws -> DesktopPlace {
        let desktop = try DesktopPlace()
        try desktop.run("keyfob init -q --storage secret-service --recovery-file recovery").expectSuccess()
        return desktop
    }

    /// One whose vault a passphrase, `correct horse`, opens too.
    static func withPassphrase(_ variables: [String: String] = [:]) throws -> DesktopPlace {
        try withVault(variables, "--passphrase-fd 3 --kdf-memory 64 3< words")
    }

    /// Runs a line of the shell.
    func run(_ line: String) throws -> Outcome { try place.run(line) }

    /// Does something to the items of vaults, as another program can: `kept_items.py` says what.
    @discardableResult
    func items(_ arguments: String) throws -> String {
        let script = PythonScript.path("kept_items")
        let outcome = try place.run("'\(PythonScript.interpreter)' '\(script)' \(arguments)").expectSuccess()
        return outcome.text
    }
}
