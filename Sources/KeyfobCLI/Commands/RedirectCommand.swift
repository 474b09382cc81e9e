internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobNetwork
internal import KeyfobSodium
internal import KeyfobTerminal

struct RedirectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redirect", abstract: "Hand the answer of a browser to the sign-in that waits for it.",
        discussion: """
            For the desktop, not for people: it starts this command with the address at which a sign-in ends where that has a \
            scheme of an app's own, such as io.keyfob:/callback. io.keyfob.desktop says so for io.keyfob, and 'keyfob setup \
            url-scheme' for others. The sign-in that waits knows by the state in the address whether it is its answer, and \
            redeems it; this command opens no vault, and ends at once.

            Ends with 69 where no sign-in waits for the address, or the provider has refused.

            Example:
              keyfob redirect 'io.keyfob:/callback?code=CODE&state=STATE'
            """)

    @Argument(help: ArgumentHelp("The address, with its scheme.", valueName: "url")) var url: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        // No message has any of the address: the code is in it.
        guard url.utf8.count <= SchemeDelivery.limit else {
            throw KeyringError(
                .usage, "the address is longer than \(SchemeDelivery.limit) bytes",
                hint: "sign in again, and use the address as the browser has it")
        }
        guard let colon = url.firstIndex(of: ":"), let scheme = PrivateUseScheme(String(url[..<colon])),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw KeyringError(
                .usage,
                "that is no address with a scheme of an app's own, which has a period in its name, such as io.keyfob:/",
                hint: "see 'keyfob redirect --help'")
        }
        guard let folder = try global.location().runtime else {
            throw KeyringError(
                .unavailable, "no sign-in can wait here: XDG_RUNTIME_DIR is not set",
                hint: "start it where 'keyfob login' runs")
        }
        do { try RuntimeFolder(path: folder).prepare() } catch { throw KeyringError(ofRuntimeFolder: error) }
        let address = Array(url.utf8).withBytes { SecretBytes(copying: $0, placement: .recycled) }
        switch SchemeDelivery.hand(address, in: folder) {
        case .accepted: global.say("the sign-in goes on where it was started")
        case .failed(let reason):
            throw KeyringError(
                .providerFailed, "the sign-in has failed: \(TerminalText.line(reason))",
                hint: "see where it was started")
        case .ignored(let count, let reason):
            let who =
                count == 1 ? "the sign-in that waits does not take" : "none of the \(count) sign-ins that wait takes"
            throw KeyringError(
                .unavailable, "\(who) this address: \(TerminalText.line(reason))",
                hint: "start the sign-in again with 'keyfob login'")
        case .nobody:
            throw KeyringError(
                .unavailable, "no sign-in waits for an address of \(scheme)", hint: "start it again with 'keyfob login'"
            )
        }
    }
}
