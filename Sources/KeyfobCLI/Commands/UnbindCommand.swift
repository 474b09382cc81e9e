internal import ArgumentParser
internal import Keyfob

struct UnbindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unbind", abstract: "Take the bindings of a directory, a URL, a host or a tool back.",
        discussion: """
            The directory may be gone. A .keyfob.toml is taken back with 'keyfob allow --revoke'.

            Example:
              keyfob unbind --directory ~/work
              keyfob unbind --tool terraform
            """)

    @OptionGroup var options: SubjectOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let subject = try options.subject(mustExist: false)
        let keyring = try global.unlockedKeyring(reaching: .files())
        let count = try keyring.bindings.remove(subject, in: global.groups())
        global.tellWarnings(of: keyring)
        try global.tell(.unbound, "removed \(Quantity.of(count, "binding")) of \(subject.kind) \(subject.text)") {
            ($0.subject, $0.count) = (ChangeDocument.Subject(subject), count)
        }
    }
}
