import Foundation
import KeyfobTestSupport
import Testing

@Suite("The service file of the identity broker", .waitsForPrograms)
struct BrokerSetupTests {
    private let name = "dbus-1/services/com.microsoft.identity.broker1.service"

    @Test("setup writes it and takes it out again, and the folders that it made")
    func there() throws {
        let place = try Workplace(["XDG_DATA_HOME": "", "XDG_DATA_DIRS": "/nonexistent"])
        let outcome = try place.run(
            """
            keyfob setup broker --force -q && keyfob setup broker && keyfob setup | grep '^broker'
            grep -E '^(Name|Exec)=' "$HOME"/.local/share/\(name)
            keyfob setup broker --undo --force -q && test ! -e "$HOME"/.local/share/dbus-1
            """
        ).expectSuccess()
        #expect(outcome.text.contains("Name=com.microsoft.identity.broker1\nExec=/"), "\(outcome)")
        #expect(outcome.text.contains("/keyfob agent --broker --idle 15m\n"), "\(outcome)")
        #expect(outcome.errors.contains("already"), "\(outcome)")
    }

    @Test("where another broker is installed, or the person's file is another's, nothing is written")
    func taken() throws {
        let place = try Workplace(["XDG_DATA_HOME": "", "XDG_DATA_DIRS": "share"])
        let service = "[D-BUS Service]\\nName=com.microsoft.identity.broker1\\nExec=/opt/broker\\n"
        for folder in ["$PWD/share", "$HOME/.local/share"] {
            let outcome = try place.run(
                """
                export XDG_DATA_DIRS=$PWD/share
                mkdir -p \(folder)/dbus-1/services && printf '\(service)' > \(folder)/\(name)
                keyfob setup broker --force; s=$?
                printf '\(service)' | cmp - \(folder)/\(name) && rm -r \(folder)/dbus-1; exit $s
                """)
            #expect(outcome.status == 73, "\(outcome)")
            #expect(outcome.errors.contains("another identity broker is installed"), "\(outcome)")
        }
    }
}
